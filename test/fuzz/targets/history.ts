import { blameLines } from "../../../src/history/blame.ts";
import { History } from "../../../src/history/history.ts";
import { encodeLine } from "../../../src/history/log-line.ts";
import { configOf } from "../../../src/history/logged-object.ts";
import { yamlOf } from "../../../src/history/object-lines.ts";
import { readSegment, type Segment } from "../../../src/history/segment.ts";
import { deepEqual } from "../../../src/lib/equal.ts";
import { configsIn } from "../../../src/testing/config/configs-in.ts";
import { segmentRecords } from "../../../src/testing/history/written-segment.ts";
import { smallShop } from "../../../src/testing/mesh/small-shop.ts";
import { promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

const types = ["segment", "object", "state", "moment"] as const;

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

function withoutSums(records: readonly string[]): Buffer {
  const sum = /^[0-9a-f]{16} /u;
  const lines = records.flatMap((record) => record.split("\n"));
  return Buffer.from(lines.map((line) => line.replace(sum, "")).join("\n"));
}
