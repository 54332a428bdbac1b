import type { Mode } from "../mode.ts";
import type { Answer } from "./answer.ts";

/** The names that an answer says something about. In SotW nothing is said of what is gone. */
export function namesIn({ resources, removed }: Answer, mode: Mode): readonly string[] {
  const names = resources.map(({ name }) => name);
  return mode === "sotw" ? names : [...names, ...removed];
}

/**
 * The news of an answer without names that the client rejected before; those are postponed. An answer that consists of
 * them alone stays as it is.
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
