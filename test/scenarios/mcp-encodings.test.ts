import { expect, test } from "vitest";
import { envelopeWriter } from "../../src/mcp/envelope/encode-resource.ts";
import { RawSink } from "../../src/testing/mcp/mcp-raw-sink.ts";
import { gateways, sourceRig } from "../../src/testing/mcp/mcp-source-rig.ts";

/** How many envelopes are made while something happens. */
function encodingsOf(work: () => void): number {
  const before = envelopeWriter.encodings;
  work();
  return envelopeWriter.encodings - before;
}

test.each([1, 50])("an object is encoded once for %i sinks, of full state and of deltas", (count) => {
  const { source, publish } = sourceRig({ requestBurst: 1000 });
  const objects = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`shop/g${index}`, "1"]));
  const sinks = Array.from({ length: count }, () => new RawSink(source));
  const first = encodingsOf(() => {
    publish(objects);
    for (const [index, sink] of sinks.entries()) sink.subscribe(gateways, { incremental: index % 2 === 0 });
  });
  expect(first).toBe(100);
  for (const [index, sink] of sinks.entries()) sink.ack({ incremental: index % 2 === 0 });
  expect(encodingsOf(() => publish({ "shop/g7": "2" }))).toBe(1);
  expect(sinks.map(({ last }) => last.resources.length)).toEqual(sinks.map((_, index) => (index % 2 === 0 ? 1 : 100)));
  const late = new RawSink(source);
  expect(encodingsOf(() => late.subscribe(gateways))).toBe(0);
  expect(late.last.resources).toHaveLength(100);
});
