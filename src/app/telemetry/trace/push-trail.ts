import type { RecordedChange } from "../../../desk/journal/recorded-change.ts";
import type { RecordedPush } from "../../../desk/journal/recorded-push.ts";

/** The largest number of proxies with a span of their own in one trace. */
const maxSlow = 5;

/** A change, with the time of the event of the source that caused it. */
export interface TracedChange {
  readonly change: RecordedChange;
  readonly eventAt: number | undefined;
}

/** A push that failed while the change waited. */
export interface FailedAttempt {
  readonly at: number;
  readonly message: string;
}

/** Responses of one type. */
interface TypeTrail {
  /** Its bit in the set of types of a proxy. */
  readonly bit: number;
  readonly firstAt: number;
  lastAt: number;
  proxies: number;
}

interface SlowProxy {
  readonly node: string;
  readonly at: number;
}

/** The times of one push on its way to the proxies. The journal has its counts. */
export class PushTrail {
  readonly push: RecordedPush;
  /** The first one has the spans of the push in its trace; the others link to it. */
  readonly changes: readonly TracedChange[];
  readonly failures: readonly FailedAttempt[];
  readonly #types = new Map<string, TypeTrail>();
  /** The types that each proxy got and has not answered, as a set of bits. */
  readonly #typesOf = new Map<string, number>();
  readonly #rejectedAt = new Map<string, number>();
  #slowest: readonly SlowProxy[] = [];
  #lastAt: number;

  constructor(push: RecordedPush, changes: readonly TracedChange[], failures: readonly FailedAttempt[]) {
    this.push = push;
    this.changes = changes;
    this.failures = failures;
    this.#lastAt = push.facts.at;
  }

  /** The last response or answer. */
  get lastAt(): number {
    return this.#lastAt;
  }

  get types(): ReadonlyMap<string, Readonly<TypeTrail>> {
    return this.#types;
  }

  /** The slowest first. */
  get slowest(): readonly SlowProxy[] {
    return this.#slowest;
  }

  /** The first rejection of this type. */
  rejectedAt(type: string): number | undefined {
    return this.#rejectedAt.get(type);
  }

  responded(type: string, node: string, now: number): void {
    const trail = this.#types.get(type) ?? { bit: 1 << this.#types.size, firstAt: now, lastAt: now, proxies: 0 };
    this.#types.set(type, trail);
    this.#lastAt = now;
    trail.lastAt = now;
    const types = this.#typesOf.get(node) ?? 0;
    if ((types & trail.bit) !== 0) return;
    this.#typesOf.set(node, types | trail.bit);
    trail.proxies++;
  }

  acknowledged(node: string, now: number): void {
    this.#lastAt = now;
    const last = this.#slowest.at(-1);
    if (this.#slowest.length === maxSlow && last !== undefined && now <= last.at) return;
    this.#slowest = [...this.#slowest, { node, at: now }].toSorted((a, b) => b.at - a.at).slice(0, maxSlow);
  }

  rejected(type: string, now: number): void {
    this.#lastAt = now;
    if (!this.#rejectedAt.has(type)) this.#rejectedAt.set(type, now);
  }

  /** The proxy answered, or is gone. */
  ended(node: string): void {
    this.#typesOf.delete(node);
  }
}
