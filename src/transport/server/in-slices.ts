import { setTimeout as pause } from "node:timers/promises";

/** As many as may come back at once without anybody noticing. */
const sliceSize = 100;

/**
 * Does something for each, evenly over a time: a hundred at once, then the next hundred. Those who are sent away like
 * this do not arrive elsewhere all together.
 */
export async function inSlices<T>(items: Iterable<T>, withinMs: number, work: (item: T) => void): Promise<void> {
  const all = [...items];
  const slices = Math.ceil(all.length / sliceSize);
  for (let slice = 0; slice < slices; slice++) {
    if (slice > 0) await pause(withinMs / slices);
    for (const item of all.slice(slice * sliceSize, (slice + 1) * sliceSize)) work(item);
  }
}
