import { stat } from "node:fs/promises";
import type { TracedChange } from "./push-trail.ts";

/** A file that was written longer before its change was not edited now: it was moved, or its time was set. */
const longestMs = 60_000;

/**
 * When the file of the change's first object was written, in the clock's milliseconds. Undefined for other sources, and
 * for a file that was written again since.
 */
export async function editTimeOf(
  { change, eventAt = change.at }: TracedChange,
  clockOf: (epochMs: number) => number,
): Promise<number | undefined> {
  const [object] = change.objects;
  if (!object?.source.startsWith("file:")) return undefined;
  const file = object.reference.replace(/:\d+$/u, "");
  try {
    const at = clockOf((await stat(file)).mtimeMs);
    return at <= eventAt && eventAt - at <= longestMs ? at : undefined;
  } catch {
    // A removed file has no time.
    return undefined;
  }
}
