import { assert } from "../../src/lib/assert.ts";
import type { PlantedBug } from "./target.ts";

/** The message of every planted bug. */
export const plantedMessage = "a planted bug was reached";

/** The characters that a text must begin with to reach the bug. No seed has them. */
const characters = "q7z";

/** The text of a file with the bug. Each comparison is a branch, so that a fuzzer can find one character at a time. */
export function plantedIn(source: string, { file, before, text }: PlantedBug): string {
  const [head = "", tail, ...more] = source.split(before);
  assert(tail !== undefined && more.length === 0, `"${before}" occurs once in ${file}`);
  const throwing = `throw new TypeError(${JSON.stringify(plantedMessage)});`;
  const comparisons = Array.from(characters, (character, at) => {
    return `if (plantedText.charCodeAt(${at}) === ${character.charCodeAt(0)})`;
  });
  return `${head}{ const plantedText: string = String(${text}); ${comparisons.join(" ")} ${throwing} }\n${before}${tail}`;
}
