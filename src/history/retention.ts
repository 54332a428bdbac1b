import type { MomentId } from "./moment.ts";

/** A segment in a store. */
export interface KeptSegment {
  readonly name: string;
  readonly bytes: number;
  /** The moment after which it begins. */
  readonly begin: MomentId;
}

export interface RetentionLimits {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** The oldest first. */
function inOrder<T extends Pick<KeptSegment, "begin">>(segments: readonly T[]): readonly T[] {
  return segments.toSorted((a, b) => a.begin.number - b.begin.number || a.begin.at - b.begin.at);
}

/**
 * The segments to delete: those whose last moment is too old, then the oldest until the rest fits. The newest segment
 * stays, because it has the objects in force.
 */
export function segmentsToDelete(
  segments: readonly KeptSegment[],
  now: number,
  { maxBytes, maxAgeMs }: RetentionLimits,
): readonly KeptSegment[] {
  const sorted = inOrder(segments);
  let bytes = sorted.reduce((sum, segment) => sum + segment.bytes, 0);
  return sorted.slice(0, -1).filter((segment, index) => {
    // A segment ends where the next one begins.
    const endedAt = sorted[index + 1]?.begin.at ?? now;
    const isDeleted = bytes > maxBytes || endedAt < now - maxAgeMs;
    if (isDeleted) bytes -= segment.bytes;
    return isDeleted;
  });
}
