import { assert } from "../../src/lib/assert.ts";
import type { PlantedBug } from "./target.ts";

/** The message of every planted bug. */
export const plantedMessage = "a planted bug was reached";

/** The texts that a text must begin with, one after the other, to reach the bug. No seed has them. */
const parts = ["q7", "z3"];

/** The text of a file with the bug. Each comparison is a branch, so that a fuzzer can find one part at a time. */
export function plantedIn(source: string, { file, before, text }: PlantedBug): string {
  const [head = "", tail, ...more] = source.split(before);
  assert(tail !== undefined && more.length === 0, `"${before}" occurs once in ${file}`);
  const throwing = `throw new TypeError(${JSON.stringify(plantedMessage)});`;
  const comparisons = parts.map((part, at) => {
    const start = parts.slice(0, at).join("").length;
    return `if (plantedText.slice(${start}, ${start + part.length}) === ${JSON.stringify(part)})`;
  });
  return `${head}{ const plantedText: string = String(${text}); ${comparisons.join(" ")} ${throwing} }\n${before}${tail}`;
}
