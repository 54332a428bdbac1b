import { globSync, statSync } from "node:fs";
import { join } from "node:path";

/** A file that gets mutants, and in which of its lines. */
export interface MutationTarget {
  readonly file: string;
  readonly includes: (line: number) => boolean;
}

/** `src/xds`, `src/xds/admission.ts`, `src/xds/admission.ts:12` or `src/xds/admission.ts:12-20`. */
export function placesOf(root: string, target: string): readonly MutationTarget[] {
  const [path = "", lines] = target.split(":");
  if (!statSync(join(root, path), { throwIfNoEntry: false })) throw new Error(`there is no ${path}`);
  const files = path.endsWith(".ts") ? [path] : globSync(`${path}/**/*.ts`, { cwd: root }).toSorted();
  const includes = linesOf(lines);
  return files.filter((file) => !file.endsWith(".test.ts")).map((file) => ({ file, includes }));
}

function linesOf(lines: string | undefined): (line: number) => boolean {
  if (lines === undefined) return () => true;
  const [first = Number.NaN, last = first] = lines.split("-").map(Number);
  if (Number.isNaN(first + last)) throw new Error(`expected a line or lines such as 12-20, found ${lines}`);
  return (line) => first <= line && line <= last;
}
