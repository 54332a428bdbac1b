import type { Processor } from "../../galley/processor/processor.ts";

const scheme = "file:";

/** The paths of `file:` sources that have no object and no issue: most often it is the wrong directory. */
export function emptyFiles(processor: Pick<Processor, "shares" | "issues">): readonly string[] {
  const shares = Map.groupBy(processor.shares(), ({ source }) => source);
  const issues = new Set(Array.from(processor.issues.values(), ({ source }) => source));
  return [...shares].flatMap(([name, its]) => {
    const isEmpty = name.startsWith(scheme) && !issues.has(name) && its.every(({ objects }) => objects === 0);
    return isEmpty ? [name.slice(scheme.length)] : [];
  });
}
