/**
 * `npm run words [-- FOLDER…]`: lists sentences that a tired reader would read twice, as `file:line kind sentence`, and
 * counts them per kind and folder. It reads comments and test titles of TypeScript, and texts of flags and errors. A place
 * to look, not a law: some long sentences are lists.
 */
import { globSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { compareTexts } from "../src/lib/compare.ts";
import { findingsIn, type WordFinding } from "./words/findings.ts";

const root = resolve(import.meta.dirname, "..");
const folders = process.argv.length > 2 ? process.argv.slice(2) : ["src", "test", "scripts", "bench"];
const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root })).toSorted();
const counts = new Map<string, number>();

for (const file of files) {
  for (const finding of findingsIn(relative(root, resolve(root, file)), readFileSync(resolve(root, file), "utf8"))) {
    print(lineFor(finding));
    const key = `${finding.kind.padEnd(16)} ${folderOf(file)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
}
for (const [key, count] of [...counts].toSorted(([a], [b]) => compareTexts(a, b)))
  print(`${String(count).padStart(5)} ${key}`);
const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
print(`${total} findings in ${files.length} files`);

function lineFor({ file, line, kind, sentence }: WordFinding): string {
  const shown = sentence.length > 160 ? `${sentence.slice(0, 160)}…` : sentence;
  return `${file}:${line} ${kind}: ${shown}`;
}

/** `src/pilot/networking`, `src/xds`, `test/e2e`: as deep as two or three people would divide the work. */
function folderOf(file: string): string {
  const parts = file.split("/");
  return parts.slice(0, parts[1] === "pilot" ? 3 : 2).join("/");
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
