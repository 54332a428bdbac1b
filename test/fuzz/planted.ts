import { assert } from "../../src/lib/assert.ts";
import type { PlantedBug } from "./target.ts";

/** The message of every planted bug. Like that of a real one, it shows that it is no reason for a refusal. */
export const plantedMessage = "the planted bug is not a function";

/** The word that a text must contain to reach the bug. No seed has it, but the dictionary of a planted run has. */
export const plantedWord = "q7z3";

/** The text of a file with the bug. */
export function plantedIn(source: string, { file, before, text }: PlantedBug): string {
  const [head = "", tail, ...more] = source.split(before);
  assert(tail !== undefined && more.length === 0, `"${before}" occurs once in ${file}`);
  const throwing = `throw new TypeError(${JSON.stringify(plantedMessage)});`;
  return `${head}if (String(${text}).includes(${JSON.stringify(plantedWord)})) ${throwing}\n${before}${tail}`;
}
