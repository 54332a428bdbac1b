import { describe, expect, test } from "vitest";
import { configsIn } from "../testing/config/configs-in.ts";
import { serviceEntry } from "../config/kinds/service-entry.ts";
import { defaultSettings, segmentRecords } from "../testing/history/written-segment.ts";
import { History } from "./history.ts";
import { readSegment } from "./segment.ts";
import { SegmentWriter } from "./segment-writer.ts";

const entry = (name: string, host: string) => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop, annotations: {owner: "Jürgen"}}
spec: {hosts: [${host}], resolution: NONE, ports: [{number: 80, name: http, protocol: HTTP}]}
`;
const inForce = configsIn([entry("a", "a.example.com"), entry("b", "b.example.com")].join("---\n"));
const later = [entry("a", "a2.example.com"), entry("c", "c.example.com"), entry("a", "a3.example.com")].flatMap(
  (text) => configsIn(text),
);
const records = segmentRecords(inForce, later);
const text = records.join("");
const bytes = Buffer.from(text);

/** The number of moments whose records end before this byte. */
function wholeMoments(cut: number): number {
  const state = records.slice(0, records.length - later.length);
  let end = Buffer.byteLength(state.join(""));
  return later.filter((_, index) => {
    end += Buffer.byteLength(records[state.length + index] ?? "");
    return end <= cut;
  }).length;
}

const stateBytes = Buffer.byteLength(records.slice(0, records.length - later.length).join(""));

describe("a segment", () => {
  test("has no moment before an earlier one, whatever the clock says", () => {
    const writer = new SegmentWriter({ number: 1, at: 5_000 });
    const { collection } = serviceEntry;
    const state = [writer.head(defaultSettings), writer.holdEnd()];
    const moments = inForce.map((after, index) =>
      writer.moment(3_000 - index, "change", [{ collection, key: `shop/${after.name}`, before: undefined, after }]),
    );
    const read = readSegment([...state, ...moments].join(""));
    expect(read?.moments.map(({ number, at }) => [number, at])).toEqual([
      [2, 5_000],
      [3, 5_000],
    ]);
  });

  test("that is cut at any byte can be read, and only the record at the cut is lost", () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const read = readSegment(bytes.subarray(0, cut).toString("utf8"));
      const expected = cut < stateBytes ? undefined : [2, 3, 4].slice(0, wholeMoments(cut));
      expect(read?.moments.map(({ number }) => number)).toEqual(expected);
      expect(read?.damaged ?? 0).toBeLessThanOrEqual(1);
    }
  });

  test("goes on after the cut if the writer ends the damaged line", () => {
    const last = records.at(-1) ?? "";
    for (let cut = stateBytes; cut < bytes.length - Buffer.byteLength(last); cut += 7) {
      const read = readSegment(`${bytes.subarray(0, cut).toString("utf8")}\n${records.slice(-later.length).join("")}`);
      expect(read?.moments.map(({ number }) => number)).toEqual([2, 3, 4]);
    }
  });

  test("with any changed byte loses one or two records, and invents nothing", () => {
    const whole = readSegment(text);
    for (let place = stateBytes; place < bytes.length; place++) {
      const changed = Buffer.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ 0x11;
      const read = readSegment(changed.toString("utf8"));
      const kept = (read?.moments ?? []).filter((moment) =>
        whole?.moments.some(({ number }) => number === moment.number),
      );
      expect(read?.moments).toEqual(kept);
      for (const moment of kept) expect(whole?.moments).toContainEqual(moment);
      // A changed line break joins two records.
      expect(kept.length).toBeGreaterThanOrEqual(later.length - 2);
    }
  });

  test("shows a damaged object as damaged, and the others as they are", async () => {
    const damaged = text.replace("c.example.com", "d.example.com");
    const history = new History([{ begin: { number: 1, at: 1_000 }, load: async () => readSegment(damaged) }]);
    const mesh = await history.at({ type: "moment", number: 4 });
    const names = [...(mesh?.entries.values() ?? [])].map((each) => [each.key, mesh?.objectOf(each)?.name]);
    expect(names).toEqual([
      ["shop/a", "a"],
      ["shop/b", "b"],
      ["shop/c", undefined],
    ]);
  });
});
