import { assert } from "../../src/lib/assert.ts";
import type { PlantedBug } from "./target.ts";

/** The message of every planted bug. */
export const plantedMessage = "a planted bug was reached";

/** The texts that a text must contain to reach the bug. No seed has them, but the dictionary of a planted run has. */
export const plantedWords = ["q7", "z3"];

/** The text of a file with the bug. Each comparison is a branch, so that a fuzzer can find one word at a time. */
export function plantedIn(source: string, { file, before, text }: PlantedBug): string {
  const [head = "", tail, ...more] = source.split(before);
  assert(tail !== undefined && more.length === 0, `"${before}" occurs once in ${file}`);
  const comparisons = plantedWords.map((word) => `if (plantedText.includes(${JSON.stringify(word)}))`).join(" ");
  const throwing = `throw new TypeError(${JSON.stringify(plantedMessage)});`;
  return `${head}{ const plantedText: string = String(${text}); ${comparisons} ${throwing} }\n${before}${tail}`;
}
