import { type Fate, lineOf, type MutantVerdict } from "./campaign.ts";

const fates: readonly Fate[] = ["killed", "survived", "uncovered", "stuck", "time-out", "crash", "unsteady"];

/** The fate of the mutants: those that nobody noticed by their place, then how many there were of each fate. */
export function reportOf(verdicts: readonly MutantVerdict[], textOf: (file: string) => string): readonly string[] {
  const lines = fates.slice(1).flatMap((fate) => verdicts.filter((verdict) => verdict.fate === fate).map(lineFor));
  const counts = fates.map((fate) => `${verdicts.filter((verdict) => verdict.fate === fate).length} ${fate}`);
  return [...lines.toSorted(), `${counts.join(", ")}: ${scoreOf(verdicts).toFixed(1)} % of ${verdicts.length} killed`];

  function lineFor({ mutant: { file, mutation }, fate, by }: MutantVerdict): string {
    const text = textOf(file);
    const original = oneLine(text.slice(mutation.start, mutation.end));
    return `${fate} ${file}:${lineOf(text, mutation.start)} ${original} → ${oneLine(mutation.text)}${by && ` (${by})`}`;
  }
}

/** Per cent that tests noticed, of all: neither a time-out nor a line that no test runs is a kill. */
function scoreOf(verdicts: readonly MutantVerdict[]): number {
  if (verdicts.length === 0) return 0;
  return (100 * verdicts.filter(({ fate }) => fate === "killed").length) / verdicts.length;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length > 120 ? `${line.slice(0, 117)}…` : line;
}
