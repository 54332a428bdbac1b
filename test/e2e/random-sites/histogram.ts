import type { Explanation } from "../../../src/explain/explanation.ts";
import type { RandomSite } from "./random-site.ts";

/** Counts how often each kind of match and of action decided a request. */
export class Histogram {
  readonly #matches = new Map<string, number>();
  readonly #actions = new Map<string, number>();
  #reached = 0;
  #pairs = 0;

  add(site: RandomSite, { steps, outcome }: Explanation): void {
    this.#pairs++;
    if (outcome.type === "forwarded") this.#reached++;
    const chosen = steps.find(({ type }) => type === "route")?.name;
    const route = site.routes.find(({ name }) => name === chosen);
    if (route === undefined) return;
    for (const { kind } of route.matches.flat()) count(this.#matches, kind);
    if (route.matches.length === 0) count(this.#matches, "everything");
    for (const kind of route.action.kinds) count(this.#actions, kind);
  }

  /** The kinds of which a long run has too few to prove anything. A short run proves only the kinds that it tries. */
  shortfalls(): readonly string[] {
    if (this.#pairs < 2000) return [];
    const rare = this.#kinds().filter(([, times]) => times < 20);
    return [...(this.#reachedShare < 0.6 ? ["reached a cluster"] : []), ...rare.map(([kind]) => kind)];
  }

  text(): string {
    const lines = this.#kinds().map(([kind, times]) => `${String(times).padStart(6)}  ${kind}\n`);
    return `${this.#pairs} requests, ${Math.round(this.#reachedShare * 100)} % reach a cluster\n${lines.join("")}`;
  }

  get #reachedShare(): number {
    return this.#reached / this.#pairs;
  }

  #kinds(): readonly (readonly [kind: string, times: number])[] {
    return [this.#matches, this.#actions].flatMap((counts) => [...counts].toSorted(([, a], [, b]) => b - a));
  }
}

function count(counts: Map<string, number>, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
