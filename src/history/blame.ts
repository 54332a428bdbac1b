import type { MomentId } from "./moment.ts";

/** A content of an object, as lines, and since when it was in force. */
export interface DatedLines {
  readonly lines: readonly string[];
  readonly since: MomentId;
}

/** A line, and the moment that wrote it. */
export interface BlamedLine {
  readonly text: string;
  readonly since: MomentId;
}

/** Two texts with more pairs of different lines are compared from both ends only. */
const maxPairs = 4_000_000;

/** The lines of the newest version, each with the moment since which it has stood there. The newest version comes first. */
export function blameLines(versions: readonly DatedLines[]): readonly BlamedLine[] {
  let blamed: readonly BlamedLine[] = [];
  for (const { lines, since } of versions.toReversed()) {
    const kept = keptLines(
      blamed.map(({ text }) => text),
      lines,
    );
    const before = blamed;
    blamed = lines.map((text, index) => ({ text, since: before[kept.get(index) ?? -1]?.since ?? since }));
  }
  return blamed;
}

/** For the index of each line that stayed, its index before: a longest common subsequence. */
function keptLines(before: readonly string[], after: readonly string[]): ReadonlyMap<number, number> {
  const kept = new Map<number, number>();
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    kept.set(start, start);
    start += 1;
  }
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end += 1;
    kept.set(after.length - end, before.length - end);
  }
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  if (a.length * b.length > maxPairs) return kept;
  for (const [i, j] of commonPairs(a, b)) kept.set(start + j, start + i);
  return kept;
}

function* commonPairs(a: readonly string[], b: readonly string[]): Iterable<readonly [i: number, j: number]> {
  const width = b.length + 1;
  // The length of the longest common subsequence of what follows both indexes.
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) yield [i++, j++];
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
}
