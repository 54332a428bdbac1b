import { create } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { loggedProxy, proxyIn } from "../../../src/app/history/logged-proxy.ts";
import { blameLines } from "../../../src/history/blame.ts";
import { FleetWriter } from "../../../src/history/fleet-writer.ts";
import { History } from "../../../src/history/history.ts";
import { encodeLine } from "../../../src/history/log-line.ts";
import { configOf } from "../../../src/history/logged-object.ts";
import { yamlOf } from "../../../src/history/object-lines.ts";
import { readSegment, type Segment } from "../../../src/history/segment.ts";
import { deepEqual } from "../../../src/lib/equal.ts";
import { proxyOf } from "../../../src/pilot/xds/node.ts";
import { configsIn } from "../../../src/testing/config/configs-in.ts";
import { segmentRecords } from "../../../src/testing/history/written-segment.ts";
import { smallShop } from "../../../src/testing/mesh/small-shop.ts";
import { promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

const fleetProxy = loggedProxy(
  proxyOf(
    create(NodeSchema, {
      id: "sidecar~10.0.0.1~web-0.shop~shop.svc.cluster.local",
      metadata: { LABELS: { app: "web" } },
    }),
  ),
);
const types = ["segment", "object", "state", "moment", "proxy", "extensions", "accepted"] as const;

/**
 * A segment of a history, as it is on a disk. The lines of the input get a right checksum, or they would never be read
 * further. Reading never fails. A segment that is cut after a line has the first moments of the whole one.
 */
export const target: FuzzTarget = {
  name: "history",
  mode: "async",
  seeds: () => {
    const [first, ...others] = configsIn(smallShop);
    const [edited] = configsIn(smallShop.replace("shop.example.com", "new.example.com"));
    if (first === undefined || edited === undefined) return [];
    return [
      withoutSums(segmentRecords([first], [])),
      withoutSums(segmentRecords([first], [edited, first])),
      withoutSums(segmentRecords(others, [first])),
      withoutSums([...segmentRecords([first], [edited]), ...fleetRecords()]),
    ];
  },
  words: [
    "segment ",
    "object ",
    "state [",
    "moment {",
    '"changes":[',
    '"object":',
    '"since":{"number":',
    '"cause":"gap"',
    'accepted {"at":',
    '"behind":[[1,{"CDS":[1,"waiting"]}]]',
  ],
  planted: { file: "src/history/log-line.ts", before: "  return { type: known, payload:", text: "body" },
  async check(input) {
    const raw = input.toString("utf8");
    readSegment(raw);
    const lines = raw.split("\n").flatMap((line) => {
      const type = types.find((each) => line.startsWith(`${each} `));
      return type === undefined ? [] : [encodeLine(type, line.slice(type.length + 1))];
    });
    const whole = readSegment(lines.join(""));
    if (whole === undefined) return;
    const part = readSegment(lines.slice(0, -1).join(""));
    const begins = part === undefined || deepEqual(part.moments, whole.moments.slice(0, part.moments.length));
    promise(begins, "a cut segment has the first moments");
    await readAll(whole);
  },
};

/** Everything that the commands ask. */
async function readAll(segment: Segment): Promise<void> {
  const history = new History([{ begin: segment.head, load: () => Promise.resolve(segment) }]);
  const moments = await Array.fromAsync(history.moments());
  const numbers = moments.map(({ number }) => number);
  promise(
    numbers.every((number, index) => index === 0 || number < (numbers[index - 1] ?? 0)),
    "numbers grow",
  );
  const fleet = await history.fleetAt({ type: "moment", number: Number.MAX_SAFE_INTEGER });
  for (const proxy of fleet?.proxies.values() ?? []) proxyIn(proxy);
  const mesh = await history.at({ type: "moment", number: Number.MAX_SAFE_INTEGER });
  promise(mesh !== undefined, "a segment has its own begin");
  for (const [place, entry] of mesh?.entries ?? []) {
    const object = mesh?.objectOf(entry);
    if (object === undefined) continue;
    configOf(object, entry);
    const versions = await history.versionsOf(place, { type: "moment", number: Number.MAX_SAFE_INTEGER });
    const dated = versions.flatMap((each) =>
      each.object === undefined ? [] : [{ lines: yamlOf(each.object).split("\n"), since: each.entry.since }],
    );
    const text = blameLines(dated).map((line) => line.text);
    promise(text.join("\n") === yamlOf(object), "blame shows the object");
  }
}

/** A proxy that connects, falls behind and leaves. */
function fleetRecords(): readonly string[] {
  const writer = new FleetWriter();
  const { nodeId } = fleetProxy;
  const none = { moment: 1, came: [], gone: [], behind: [], current: [] };
  return [
    writer.change({ ...none, at: 1_000, came: [fleetProxy] }),
    writer.change({ ...none, at: 2_000, moment: 2, behind: [[nodeId, { CDS: [1, "waiting"], EDS: [0, "rejected"] }]] }),
    writer.change({ ...none, at: 3_000, moment: 2, current: [nodeId] }),
    writer.change({ ...none, at: 4_000, moment: 2, gone: [nodeId] }),
  ];
}

function withoutSums(records: readonly string[]): Buffer {
  const sum = /^[0-9a-f]{16} /u;
  const lines = records.flatMap((record) => record.split("\n"));
  return Buffer.from(lines.map((line) => line.replace(sum, "")).join("\n"));
}
