import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { until } from "../../testing/until.ts";
import { StreamDestination } from "./stream-destination.ts";

/** A pipe whose reader takes what was written only when a test says so. */
function stalledPipe(highWaterMark = 16) {
  const taken: string[] = [];
  let next: (() => void) | undefined;
  const pipe = new Writable({
    highWaterMark,
    write(chunk, _encoding, done) {
      taken.push(String(chunk));
      next = done;
    },
  });
  const read = () => {
    const done = next;
    next = undefined;
    done?.();
  };
  return { pipe, taken, read };
}

test("lines beyond the limit are dropped, counted, and reported when the reader has caught up", async () => {
  const { pipe, taken, read } = stalledPipe();
  const recovered: number[] = [];
  const log = new StreamDestination(pipe, { maxQueuedBytes: 30, onRecovered: (dropped) => recovered.push(dropped) });
  for (let line = 0; line < 10; line++) log.write(`line ${line}...\n`);
  expect([log.dropped, pipe.writableLength, recovered]).toEqual([7, 30, []]);
  await until(() => {
    read();
    return recovered.length > 0;
  });
  expect(taken).toEqual(["line 0...\n", "line 1...\n", "line 2...\n"]);
  expect([recovered, log.dropped]).toEqual([[7], 7]);
});

test("a closed reader ends nothing: lines are counted as dropped", async () => {
  const { pipe } = stalledPipe();
  const log = new StreamDestination(pipe, { maxQueuedBytes: 100, onRecovered: () => undefined });
  pipe.destroy(new Error("EPIPE"));
  await until(() => pipe.closed);
  log.write("nobody reads this\n");
  expect(log.dropped).toBe(1);
});
