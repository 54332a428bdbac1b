import { setTimeout as pause } from "node:timers/promises";

/** The number of clients that may reconnect at once without overload. */
const sliceSize = 100;

/**
 * Runs `work` for each item, evenly over a time: a hundred at once, then the next hundred. So disconnected clients do
 * not all reconnect at the same time.
 */
export async function inSlices<T>(items: Iterable<T>, withinMs: number, work: (item: T) => void): Promise<void> {
  const all = [...items];
  const slices = Math.ceil(all.length / sliceSize);
  for (let slice = 0; slice < slices; slice++) {
    if (slice > 0) await pause(withinMs / slices);
    for (const item of all.slice(slice * sliceSize, (slice + 1) * sliceSize)) work(item);
  }
}
