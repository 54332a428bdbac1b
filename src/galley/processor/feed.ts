import type { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
import { type Config, configKey, isSameConfig } from "../../config/config.ts";
import { type Issue, toleratedIssue } from "../../config/issue.ts";
import { assert } from "../../lib/assert.ts";
import type { Source, SourceEvent } from "../source/source.ts";
import { Refill } from "./refill.ts";

/** The current issues of one part of one source. */
export interface SourceIssues {
  readonly source: string;
  readonly part: string;
  readonly issues: readonly Issue[];
}

/** `syncing` until all initial objects have arrived, after a start or after the last reset. */
export interface SourceHealth {
  readonly name: string;
  readonly state: "stopped" | "syncing" | "synced";
  /** The collections that are not complete yet. */
  readonly awaited: readonly string[];
  /** Why the source's objects may be out of date. Undefined while the source follows its origin. */
  readonly stale: string | undefined;
  /** Whether derived collections wait for this source: until its first sync, or until the processor gives up on it. */
  readonly holdsUp: boolean;
}

interface FeedOptions {
  readonly graph: Graph;
  readonly source: Source;
  readonly issues: Input<SourceIssues>;
  readonly allowUnenforced: boolean;
  /** Distinguishes this feed from earlier feeds of a source with the same name, which may still exist. */
  readonly generation: number;
  /** Called whenever a complete replay becomes visible, within the batch that shows it. */
  readonly onShown: () => void;
}

/** Carries one source into the graph. Each of the source's collections has its own input. */
export class Feed {
  readonly #graph: Graph;
  readonly #source: Source;
  readonly #issues: Input<SourceIssues>;
  readonly #allowUnenforced: boolean;
  readonly #onShown: () => void;
  readonly #suffix: string;
  readonly #inputs = new Map<string, Input<Config>>();
  readonly #refills = new Map<string, Refill<Config>>();
  /** The parts with issues. */
  readonly #ailing = new Set<string>();
  #stale: string | undefined;
  /** The current run. Events of earlier runs are ignored. */
  #run: object | undefined;
  #started = Promise.resolve();

  constructor({ graph, source, issues, allowUnenforced, generation, onShown }: FeedOptions) {
    this.#graph = graph;
    this.#source = source;
    this.#issues = issues;
    this.#allowUnenforced = allowUnenforced;
    this.#onShown = onShown;
    this.#suffix = generation === 0 ? "" : `#${generation}`;
    for (const collection of source.collections) {
      const input = graph.input<Config>(`${source.name} ${collection}${this.#suffix}`, { equals: isSameConfig });
      this.#inputs.set(collection, input);
      this.#refills.set(collection, new Refill(input));
    }
  }

  get source(): Source {
    return this.#source;
  }

  /** The objects of the source, by collection. */
  get inputs(): ReadonlyMap<string, Input<Config>> {
    return this.#inputs;
  }

  health(): SourceHealth {
    const awaited = [...this.#refills].filter(([, refill]) => refill.awaited).map(([collection]) => collection);
    const state = this.#run === undefined ? "stopped" : awaited.length > 0 ? "syncing" : "synced";
    const holdsUp = state === "stopped" || this.#inputs.values().some(({ synced }) => !synced);
    return { name: this.#source.name, state, awaited, stale: this.#stale, holdsUp };
  }

  /** Every start is a reset: objects that the source does not repeat are removed. */
  start(): Promise<void> {
    if (this.#run !== undefined) return this.#started;
    const run = {};
    this.#run = run;
    this.#stale = undefined;
    this.#graph.batch(() => this.#reset());
    this.#started = this.#source.start((events) => {
      if (this.#run === run) this.#graph.batch(() => events.forEach((event) => this.#apply(event)));
    });
    return this.#started;
  }

  async stop(): Promise<void> {
    this.#run = undefined;
    await this.#source.stop();
  }

  /** Removes everything of this source from the graph. No derivation may read its inputs any more. */
  leave(): void {
    this.#run = undefined;
    for (const part of this.#ailing) this.#note(part, []);
    for (const input of this.#inputs.values()) this.#graph.remove(input);
  }

  idle(): Promise<void> {
    return this.#source.idle();
  }

  #apply(event: SourceEvent): void {
    switch (event.type) {
      case "upserted":
        return this.#refill(event.collection).set(configKey(event.config), event.config);
      case "deleted":
        return this.#refill(event.collection).delete(event.key);
      case "fullSync":
        return this.#end(event.collection);
      case "reset":
        return this.#reset();
      case "overdue":
        return this.#refills.values().forEach((refill) => refill.giveUp());
      case "stale":
        this.#stale = event.reason;
        return;
      case "fresh":
        this.#stale = undefined;
        return;
      case "issues":
        return this.#note(event.part, event.issues);
    }
  }

  #reset(): void {
    for (const refill of this.#refills.values()) refill.begin();
    for (const part of this.#ailing) this.#note(part, []);
  }

  /** A source shows a complete replay at once, because related objects may be in different collections. */
  #end(collection: string): void {
    this.#refill(collection).end();
    const refills = [...this.#refills.values()];
    if (refills.some(({ awaited }) => awaited)) return;
    for (const refill of refills) refill.show();
    this.#onShown();
  }

  #note(part: string, said: readonly Issue[]): void {
    const issues = this.#allowUnenforced ? said.map(toleratedIssue) : said;
    const source = this.#source.name;
    const key = `${source} ${part}${this.#suffix}`;
    if (issues.length === 0) {
      this.#ailing.delete(part);
      this.#issues.delete(key);
    } else {
      this.#ailing.add(part);
      this.#issues.set(key, { source, part, issues });
    }
  }

  #refill(collection: string): Refill<Config> {
    const refill = this.#refills.get(collection);
    assert(refill !== undefined, `${this.#source.name} declares ${collection} before it fills it`);
    return refill;
  }
}
