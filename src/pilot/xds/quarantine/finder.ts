import { assert } from "../../../lib/assert.ts";

/** The result of a search. */
export type Findings<Suspect> =
  /** A proxy accepted everything except these suspects. The list is empty if the proxy accepted all suspects. */
  | { readonly type: "found"; readonly offenders: readonly Offender<Suspect>[] }
  /** The answers of the proxy do not follow from the suspects: nothing is known about them. */
  | { readonly type: "inconclusive" };

export interface Offender<Suspect> {
  readonly suspect: Suspect;
  /** The reason of the last rejection with this suspect. */
  readonly reason: string;
}

/** So many suspects are blamed without a single accepted probe. Then a probe without suspects tests the proxy itself. */
const maxBlamedUnaccepted = 3;
/** A search that finds more offenders ends: then the suspects are not the cause, or the operator has to look first. */
export const maxOffenders = 32;

/**
 * Finds the suspects that make a proxy reject a configuration. A probe is a configuration that contains some of the
 * suspects; all others stay as the proxy accepted them before.
 *
 * A search accepts a growing prefix of the list. It looks for the first suspect whose addition makes the proxy reject,
 * by halving, leaves it out, and then probes all others at once. So each offender costs at most ⌈log2 n⌉ + 1 probes. One
 * more probe, without any suspect, finds out a proxy that rejects everything, and one more is lost if the words of the
 * proxy mislead.
 * Each probe contains everything that an earlier probe of the search brought to the proxy, so no probe takes away.
 * Only an accepted probe of everything but the offenders ends a search with a result.
 */
export class Finder<Suspect> {
  readonly #suspects: readonly Suspect[];
  /** These first suspects, without the offenders among them, were accepted together, or are none at all. */
  #accepted = 0;
  /** These first suspects, without the offenders, were rejected together. */
  #rejected: number;
  /** So many first suspects are not named by the proxy. The first halving ends after them. */
  #unnamed: number | undefined;
  readonly #offenders: Offender<Suspect>[] = [];
  #reason: string;
  #anyAccepted = false;
  #probes = 0;
  /** How many of the first suspects the next probe contains; undefined when the search has ended. */
  #next: number | undefined;
  #findings: Findings<Suspect> | undefined;

  /**
   * `rejection` is the reason with which the proxy rejected all suspects together. Without it nothing is known, and the
   * first probe has all of them. The words of the proxy may point at the last `named` of them: then the first halving
   * separates these from the others.
   */
  constructor(suspects: readonly Suspect[], rejection: string | undefined, named = 0) {
    this.#suspects = suspects;
    this.#rejected = suspects.length;
    this.#reason = rejection ?? "";
    this.#unnamed = suspects.length - named;
    if (rejection !== undefined) this.#halve();
    else if (suspects.length > 0) this.#next = suspects.length;
    else this.#end({ type: "found", offenders: [] });
  }

  /** The suspects that the next probe contains. Undefined when the search has ended. */
  get next(): readonly Suspect[] | undefined {
    return this.#next === undefined ? undefined : this.#without(this.#next);
  }

  /** Defined when the search has ended. */
  get findings(): Findings<Suspect> | undefined {
    return this.#findings;
  }

  /** How many probes were answered. */
  get probes(): number {
    return this.#probes;
  }

  /** The proxy accepted the probe. */
  accepted(): void {
    const length = this.#answered();
    this.#anyAccepted = true;
    if (length === 0) return this.#probeAll();
    this.#accepted = length;
    if (length === this.#suspects.length) this.#found();
    else this.#halve();
  }

  /** The proxy rejected the probe. */
  rejected(reason: string): void {
    const length = this.#answered();
    if (length === 0) return this.#end({ type: "inconclusive" });
    this.#rejected = length;
    this.#reason = reason;
    this.#halve();
  }

  #answered(): number {
    const length = this.#next;
    assert(length !== undefined, "a finished search expects no answer");
    this.#probes += 1;
    return length;
  }

  /** Probes the middle between an accepted and a rejected prefix. If they are neighbours, the last suspect is to blame. */
  #halve(): void {
    if (this.#rejected - this.#accepted > 1) {
      this.#next = this.#takeUnnamed() ?? this.#accepted + Math.floor((this.#rejected - this.#accepted) / 2);
      return;
    }
    const suspect = this.#suspects[this.#rejected - 1];
    if (suspect === undefined || this.#rejected === this.#accepted) return this.#end({ type: "inconclusive" });
    this.#offenders.push({ suspect, reason: this.#reason });
    if (this.#offenders.length > maxOffenders) return this.#end({ type: "inconclusive" });
    this.#accepted = this.#rejected;
    this.#rejected = this.#suspects.length;
    if (!this.#anyAccepted && this.#offenders.length === maxBlamedUnaccepted) this.#next = 0;
    else this.#probeAll();
  }

  /** The border before the named suspects, once, if it separates the suspects that are left. */
  #takeUnnamed(): number | undefined {
    const border = this.#unnamed;
    this.#unnamed = undefined;
    return border !== undefined && border > this.#accepted && border < this.#rejected ? border : undefined;
  }

  #probeAll(): void {
    // The proxy has already accepted all others together.
    if (this.#anyAccepted && this.#accepted === this.#suspects.length) this.#found();
    else this.#next = this.#suspects.length;
  }

  #without(length: number): readonly Suspect[] {
    const offenders = new Set(this.#offenders.map(({ suspect }) => suspect));
    return this.#suspects.slice(0, length).filter((suspect) => !offenders.has(suspect));
  }

  #found(): void {
    this.#end({ type: "found", offenders: this.#offenders });
  }

  #end(findings: Findings<Suspect>): void {
    this.#next = undefined;
    this.#findings = findings;
  }
}
