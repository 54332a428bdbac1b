import { isWildcard } from "../grammar/hostname.ts";

/** A notation in which one text may match many. */
export interface Wildcards {
  /** The common part of all matches of a wildcard; undefined for a text without a wildcard. */
  readonly core: (text: string) => string | undefined;
  /** The cores of every wildcard that covers this text. */
  readonly coresAround: (text: string) => IteratorObject<string>;
}

/** Longer texts are not hostnames, and the number of suffixes grows with the length. */
const maxHostnameLength = 255;

/** `*.example.com`, `*-dev.example.com`, `*`: the part after the star is the suffix of the names. */
export const hostWildcards: Wildcards = {
  core: (host) => (isWildcard(host) ? host.slice(1) : undefined),
  *coresAround(host) {
    const end = isWildcard(host) ? host.slice(1) : host;
    for (let at = Math.max(0, end.length - maxHostnameLength); at <= end.length; at += 1) yield end.slice(at);
  },
};

/** Checks whether one of the texts covers another. The cost depends only on the length of that text. */
export function coverage(texts: readonly string[], { core, coresAround }: Wildcards): (text: string) => boolean {
  const all = new Set(texts);
  const cores = new Set(texts.flatMap((text) => core(text) ?? []));
  return (text) => all.has(text) || (cores.size > 0 && coresAround(text).some((each) => cores.has(each)));
}

/**
 * The first earlier text that each one overlaps with, by index: they are equal, or one covers the other. Users write
 * these lists and may make them long, so not every pair is compared.
 */
export function firstOverlaps(texts: readonly string[], wildcards: Wildcards): ReadonlyMap<number, string> {
  const firstAt = new Map<string, number>();
  for (const [index, text] of texts.entries()) if (!firstAt.has(text)) firstAt.set(text, index);
  const rivals = rivalsAmong(firstAt, wildcards);
  return new Map(
    texts.flatMap((text, index) => {
      const first = firstAt.get(text) ?? index;
      const rival = rivals.get(first) ?? (first < index ? first : undefined);
      return rival === undefined ? [] : [[index, texts[rival] ?? ""] as const];
    }),
  );
}

/** Like {@link firstOverlaps}, for different texts, each given with its index. */
function rivalsAmong(
  places: ReadonlyMap<string, number>,
  { core, coresAround }: Wildcards,
): ReadonlyMap<number, number> {
  const wildcardAt = new Map<string, number>();
  for (const [text, place] of places) {
    const ofWildcard = core(text);
    if (ofWildcard !== undefined) wildcardAt.set(ofWildcard, place);
  }
  const rivals = new Map<number, number>();
  if (wildcardAt.size === 0) return rivals;
  for (const [text, place] of places) {
    for (const around of coresAround(text)) {
      const wildcard = wildcardAt.get(around) ?? place;
      const [earlier, later] = wildcard < place ? [wildcard, place] : [place, wildcard];
      if (earlier < later) rivals.set(later, Math.min(earlier, rivals.get(later) ?? earlier));
    }
  }
  return rivals;
}
