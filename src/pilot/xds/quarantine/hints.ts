import type { ConfigId } from "../../../config/config.ts";

/** Longer texts are not read. */
const maxWords = 64;
/** Words that more than this share of the suspects contain tell nothing. */
const maxShare = 0.25;

/**
 * The suspects that the words of a proxy point at: those that contain the rarest word of its text. Empty if no word
 * occurs in few of the suspects. A proxy quotes hosts, clusters, expressions or values of the object, so the text often
 * has something that only the offender has. It may also mislead: a hint decides where a search begins, never its result.
 */
export function suspectsNamedIn(
  text: string,
  suspects: readonly ConfigId[],
  textOf: (id: ConfigId) => string,
): ReadonlySet<ConfigId> {
  if (suspects.length < 2) return new Set();
  const words = wordsIn(text);
  const holders = new Map<string, Set<ConfigId>>();
  for (const id of suspects) {
    const content = textOf(id);
    for (const word of words) {
      if (!content.includes(word)) continue;
      const known = holders.get(word) ?? new Set();
      holders.set(word, known.add(id));
    }
  }
  const [rarest] = [...holders.values()].toSorted((a, b) => a.size - b.size);
  return rarest !== undefined && rarest.size <= Math.max(1, suspects.length * maxShare) ? rarest : new Set();
}

function wordsIn(text: string): readonly string[] {
  const words = text.split(/[\s'"`,;]+/u).flatMap((word) => [word, word.replace(/^[([{]+|[)\]}.:]+$/gu, "")]);
  return [...new Set(words)].filter((word) => word.length > 1).slice(0, maxWords);
}
