import type { Mode } from "../mode.ts";
import type { Answer } from "./answer.ts";

/** The names that an answer covers. A SotW answer does not name removed resources. */
export function coveredNames({ resources, removed }: Answer, mode: Mode): readonly string[] {
  const names = resources.map(({ name }) => name);
  return mode === "sotw" ? names : [...names, ...removed];
}

/**
 * Removes previously rejected names from an answer and postpones them. An answer with only such names stays unchanged.
 */
export function postponeRejected(answer: Answer, rejected: { has(name: string): boolean }, mode: Mode): Answer {
  const isAccepted = ({ name }: { readonly name: string }) => !rejected.has(name);
  const resources = answer.resources.filter(isAccepted);
  const removed = answer.removed.filter((name) => !rejected.has(name));
  const rest = { ...answer, resources, removed, changed: answer.changed.filter(isAccepted) };
  if (coveredNames(rest, mode).length === 0) return answer;
  const postponed = coveredNames(answer, mode).filter((name) => rejected.has(name));
  return { ...rest, postponed };
}
