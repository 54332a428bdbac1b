import { describe, expect, test } from "vitest";
import { configsIn } from "../testing/config/configs-in.ts";
import { segmentRecords } from "../testing/history/written-segment.ts";
import type { FleetAt } from "./fleet-at.ts";
import { type FleetChange, FleetWriter } from "./fleet-writer.ts";
import { History } from "./history.ts";
import { readSegment } from "./segment.ts";

const entry = configsIn(`
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: shop}
spec: {hosts: [a.example.com], resolution: NONE, ports: [{number: 80, name: http, protocol: HTTP}]}
`);
const proxy = (name: string) => ({ nodeId: name, facts: { namespace: "shop" }, extensions: ["envoy.filters.http.x"] });
const none = { moment: 1, came: [], gone: [], behind: [], current: [] };
const changes: readonly FleetChange[] = [
  { ...none, at: 1_100, came: [proxy("a"), proxy("b")] },
  { ...none, at: 1_200, moment: 2, behind: [["a", { CDS: [1, "waiting"] }]] },
  { ...none, at: 1_300, moment: 2, current: ["a"], gone: ["b"] },
  { ...none, at: 1_400, moment: 2, came: [{ ...proxy("a"), facts: { namespace: "bank" } }] },
];

/** The fleet as people read it: names with their lags. */
function shown(fleet: FleetAt | undefined): unknown {
  return fleet && [fleet.moment, ...Array.from(fleet.proxies.values(), ({ nodeId, lags }) => [nodeId, lags])];
}

const states = [
  [1, ["a", {}], ["b", {}]],
  [2, ["a", { CDS: [1, "waiting"] }], ["b", {}]],
  [2, ["a", {}]],
  [2, ["a", {}]],
];

function historyOf(text: string): History {
  return new History([{ begin: { number: 1, at: 1_000 }, load: () => Promise.resolve(readSegment(text)) }]);
}

function written(): readonly string[] {
  const writer = new FleetWriter();
  return changes.map((change) => writer.change(change));
}

describe("the proxies in a segment", () => {
  const begin = segmentRecords(entry, []).join("");

  test("are those of each time", async () => {
    const history = historyOf(begin + written().join(""));
    for (const [index, { at }] of changes.entries()) {
      const fleet = await history.fleetAt({ type: "time", at });
      expect(shown(fleet)).toEqual(states[index]);
    }
    const last = await history.fleetAt({ type: "moment", number: 1 });
    expect(last?.proxies.get("a")).toMatchObject({
      facts: { namespace: "bank" },
      extensions: ["envoy.filters.http.x"],
    });
    expect(await history.fleetAt({ type: "time", at: 999 })).toBeUndefined();
  });

  test("are those of an earlier time if the segment is cut, at any byte", async () => {
    const records = written();
    const known = [undefined, ...states];
    for (let cut = 0; cut <= records.join("").length; cut += 3) {
      const fleet = await historyOf(begin + records.join("").slice(0, cut)).fleetAt({ type: "moment", number: 1 });
      expect(known).toContainEqual(shown(fleet));
    }
  });

  test("count once if a write is repeated", async () => {
    const [came = "", behind = "", current = ""] = written();
    const text = [begin, came, behind, current, came, behind].join("");
    const fleet = await historyOf(text).fleetAt({ type: "moment", number: 1 });
    expect(shown(fleet)).toEqual(states[2]);
  });

  test("go over into the next segment, with how far they are behind", async () => {
    const before = new FleetWriter();
    for (const change of changes.slice(0, 2)) before.change(change);
    const fleet = await historyOf(begin + new FleetWriter().opening(before)).fleetAt({ type: "moment", number: 1 });
    expect(shown(fleet)).toEqual(states[1]);
    expect(new FleetWriter().opening(new FleetWriter())).toBe("");
  });
});
