import type { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
import type { Config } from "../../config/config.ts";
import type { Source } from "../source/source.ts";
import { Feed, type SourceHealth, type SourceIssues } from "./feed.ts";

export interface ActiveSourcesOptions {
  readonly graph: Graph;
  readonly sources: readonly Source[];
  readonly issues: Input<SourceIssues>;
  readonly allowUnenforced: boolean;
  /** Called within a batch when {@link ActiveSources.partsOf} returns different parts. */
  readonly onChange: () => void;
}

/**
 * The current sources, in order of precedence. A source that is added later is not used until it has synced. Nothing
 * waits for it. If it replaces another source, the old source stays in use until then.
 */
export class ActiveSources {
  readonly #options: ActiveSourcesOptions;
  readonly #syncing = new Set<Feed>();
  readonly #replacedFeeds = new Map<Feed, Feed>();
  #feeds: readonly Feed[];
  /** The number of replacements so far. */
  #generation = 0;
  #replaced = Promise.resolve();

  constructor(options: ActiveSourcesOptions) {
    this.#options = options;
    this.#feeds = options.sources.map((source) => this.#feed(source));
  }

  get feeds(): readonly Feed[] {
    return this.#feeds;
  }

  /** The inputs of a collection from all sources that count, in order of precedence. */
  partsOf(collection: string): readonly Input<Config>[] {
    return this.#feeds.flatMap((feed) => this.#feedInUse(feed)?.inputs.get(collection) ?? []);
  }

  health(): readonly SourceHealth[] {
    return this.#feeds.map((feed) => {
      const health = feed.health();
      return this.#syncing.has(feed) ? { ...health, holdsUp: false } : health;
    });
  }

  /** Resolves when every source is running. If one source cannot start, all sources are stopped. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.#feeds.map((feed) => feed.start()));
    } catch (thrown) {
      await this.stop();
      throw thrown;
    }
  }

  async stop(): Promise<void> {
    await this.#replaced;
    await Promise.all([...this.#feeds, ...this.#replacedFeeds.values()].map((feed) => feed.stop()));
  }

  async idle(): Promise<void> {
    await Promise.all(this.#feeds.map((feed) => feed.idle()));
  }

  /** See `Processor.replaceSources`. */
  replace(sources: readonly Source[], replacing: ReadonlyMap<Source, Source>): Promise<void> {
    const replaced = this.#replaced.then(() => this.#replace(sources, replacing));
    this.#replaced = replaced.catch(() => {});
    return replaced;
  }

  async #replace(sources: readonly Source[], replacing: ReadonlyMap<Source, Source>): Promise<void> {
    this.#generation += 1;
    const known = new Map(this.#feeds.map((feed) => [feed.source, feed]));
    const added = sources.filter((source) => !known.has(source)).map((source) => this.#feed(source));
    for (const feed of added) this.#syncing.add(feed);
    try {
      await Promise.all(added.map((feed) => feed.start()));
    } catch (thrown) {
      await this.#dismiss(added);
      throw thrown;
    }
    const before = [...this.#feeds, ...this.#replacedFeeds.values()];
    for (const feed of added) {
      const replaced = replacing.get(feed.source);
      const old = replaced && known.get(replaced);
      const replacedFeed = old && this.#feedInUse(old);
      if (replacedFeed !== undefined && this.#syncing.has(feed)) this.#replacedFeeds.set(feed, replacedFeed);
      known.set(feed.source, feed);
    }
    this.#feeds = sources.flatMap((source) => known.get(source) ?? []);
    const inUse = new Set([...this.#feeds, ...this.#feeds.map((feed) => this.#replacedFeeds.get(feed))]);
    await this.#dismiss(before.filter((feed) => !inUse.has(feed)));
  }

  /** The feed that counts for a source: its own feed, or until it has synced the feed that it replaces. */
  #feedInUse(feed: Feed): Feed | undefined {
    return this.#syncing.has(feed) ? this.#replacedFeeds.get(feed) : feed;
  }

  #feed(source: Source): Feed {
    const { graph, issues, allowUnenforced } = this.#options;
    const feed: Feed = new Feed({
      graph,
      source,
      issues,
      allowUnenforced,
      generation: this.#generation,
      onShown: () => this.#arrive(feed),
    });
    return feed;
  }

  /** A source that was added later has synced. */
  #arrive(feed: Feed): void {
    if (!this.#syncing.delete(feed)) return;
    const replacedFeed = this.#replacedFeeds.get(feed);
    this.#options.onChange();
    if (replacedFeed === undefined) return;
    this.#replacedFeeds.delete(feed);
    replacedFeed.leave();
    void replacedFeed.stop();
  }

  /** Removes the objects of these feeds in one batch, before their sources stop. */
  async #dismiss(feeds: readonly Feed[]): Promise<void> {
    for (const feed of feeds) this.#replacedFeeds.delete(feed);
    this.#options.graph.batch(() => {
      this.#options.onChange();
      for (const feed of feeds) feed.leave();
    });
    for (const feed of feeds) this.#syncing.delete(feed);
    await Promise.all(feeds.map((feed) => feed.stop()));
  }
}
