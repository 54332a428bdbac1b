/** A match that takes requests, and the rule that it belongs to. */
export interface RuleMatch<Match> {
  readonly match: Match;
  readonly rule: string;
}

/** A match taken apart, so that the matches that cover it can be looked up. */
export interface Conditions {
  /** Every condition of a match. A match covers another only if the other has all these conditions or implies them. */
  readonly asked: readonly string[];
  /** The start of a URI that the match asks for: prefixes of it are implied. */
  readonly uri?: string;
}

export interface Relation<Match> {
  readonly conditionsOf: (match: Match) => Conditions;
  /** True when every request of `later` is one of `earlier`. */
  readonly covers: (earlier: Match, later: Match) => boolean;
}

/** The condition that a URI begins with a text. */
export function prefixCondition(prefix: string): string {
  return `uri prefix ${prefix}`;
}

/** Comparisons for one match. Where many matches share their rarest condition, a covered match may go unnoticed. */
const maxComparisons = 32;
/** Different lengths of prefixes that are looked up for one match. */
const maxLengths = 64;

/**
 * Finds the earlier match that covers a match, without comparing each with each. A covering match is kept under its
 * rarest condition, and is found by those that have this condition. The work for one match is bounded.
 */
export class MatchIndex<Match> {
  readonly #relation: Relation<Match>;
  readonly #frequency = new Map<string, number>();
  readonly #matches = new Map<string, { readonly order: number; readonly candidate: RuleMatch<Match> }[]>();
  readonly #prefixLengths = new Set<number>();
  #count = 0;

  /** All matches that are going to be added or looked up: their conditions are counted. */
  constructor(matches: Iterable<Match>, relation: Relation<Match>) {
    this.#relation = relation;
    for (const match of matches) {
      for (const condition of relation.conditionsOf(match).asked)
        this.#frequency.set(condition, (this.#frequency.get(condition) ?? 0) + 1);
    }
  }

  add(candidate: RuleMatch<Match>): void {
    const { asked, uri } = this.#relation.conditionsOf(candidate.match);
    const frequency = (condition: string) => this.#frequency.get(condition) ?? 0;
    const rarest = asked.reduce((best, next) => (frequency(next) < frequency(best) ? next : best));
    const found = this.#matches.get(rarest);
    const entry = { order: this.#count, candidate };
    this.#count += 1;
    if (found === undefined) this.#matches.set(rarest, [entry]);
    else found.push(entry);
    const isUnderPrefix = uri !== undefined && rarest === prefixCondition(uri);
    if (isUnderPrefix && this.#prefixLengths.size < maxLengths) this.#prefixLengths.add(uri.length);
  }

  /** The first match added that covers this one. */
  find(match: Match): RuleMatch<Match> | undefined {
    let first: { readonly order: number; readonly candidate: RuleMatch<Match> } | undefined;
    let comparisons = 0;
    for (const condition of this.#lookedUp(match)) {
      for (const candidate of this.#matches.get(condition) ?? []) {
        if (comparisons === maxComparisons) return first?.candidate;
        if (first !== undefined && first.order < candidate.order) break;
        comparisons += 1;
        if (this.#relation.covers(candidate.candidate.match, match)) first = candidate;
      }
    }
    return first?.candidate;
  }

  *#lookedUp(match: Match): Iterable<string> {
    const { asked, uri } = this.#relation.conditionsOf(match);
    yield* asked;
    if (uri === undefined) return;
    for (const length of this.#prefixLengths) if (length <= uri.length) yield prefixCondition(uri.slice(0, length));
  }
}
