import type { Mode } from "../mode.ts";
import type { Answer } from "./answer.ts";

/** The names that an answer covers. A SotW answer does not name removed resources. */
export function namesIn({ resources, removed }: Answer, mode: Mode): readonly string[] {
  const names = resources.map(({ name }) => name);
  return mode === "sotw" ? names : [...names, ...removed];
}

/**
 * Removes previously rejected names from an answer and postpones them. An answer with only such names stays unchanged.
 */
export function setApart(answer: Answer, rejected: { has(name: string): boolean }, mode: Mode): Answer {
  const isNews = ({ name }: { readonly name: string }) => !rejected.has(name);
  const resources = answer.resources.filter(isNews);
  const removed = answer.removed.filter((name) => !rejected.has(name));
  const news = { ...answer, resources, removed, changed: answer.changed.filter(isNews) };
  if (namesIn(news, mode).length === 0) return answer;
  const postponed = namesIn(answer, mode).filter((name) => rejected.has(name));
  return { ...news, postponed };
}
