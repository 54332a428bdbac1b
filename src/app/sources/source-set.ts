import type { Processor } from "../../galley/processor/processor.ts";
import type { Source } from "../../galley/source/source.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { parseSourceUrl } from "./source-url.ts";

export interface SourceSetOptions {
  /** The sources of the settings, in order of precedence. */
  readonly urls: readonly string[];
  /** Throws `bad-option`. */
  readonly make: (url: string) => Source;
  /** The fixed sources, which come before or after the sources of the settings. */
  readonly first: readonly Source[];
  readonly last: readonly Source[];
  /** Wraps a source to observe its events. */
  readonly observe: (source: Source) => Source;
  readonly logger: Logger;
}

/** The sources of a process. The sources of the settings can be replaced at run time. */
export class SourceSet {
  readonly #options: SourceSetOptions;
  readonly #observed = new Map<Source, Source>();
  /** The sources of the settings, by their id. */
  #named: ReadonlyMap<string, Source>;

  constructor(options: SourceSetOptions) {
    this.#options = options;
    this.#named = new Map(options.urls.map((url) => [idOf(url), options.make(url)]));
  }

  /** The sources themselves, in order of precedence. */
  get sources(): readonly Source[] {
    return this.#all(this.#named);
  }

  /** The observed sources, for the processor. */
  get observed(): readonly Source[] {
    return this.sources.map((source) => this.#observe(source));
  }

  /** Makes every source read again, even without a change event. */
  async reload(): Promise<void> {
    await Promise.all(this.sources.map(async (source) => source.reload?.()));
  }

  /**
   * Replaces the sources. Unchanged sources keep running. A source with changed settings stays until its successor has
   * synced. Throws `bad-option` and `source-unavailable`, and then changes nothing.
   */
  async replace(urls: readonly string[], processor: Pick<Processor, "replaceSources">): Promise<void> {
    if (this.sources.length === 0 && urls.length > 0) {
      throw new MeshError("bad-option", "sources cannot be added to a server that started without any; restart it");
    }
    const before = this.#named;
    const next = new Map(urls.map((url) => [idOf(url), before.get(idOf(url)) ?? this.#options.make(url)]));
    const added = [...next].filter(([id]) => !before.has(id));
    const removed = [...before].filter(([id]) => !next.has(id));
    const replacing = new Map(
      added.flatMap(([id, source]): [Source, Source][] => {
        const old = removed.find(([oldId]) => placeOf(oldId) === placeOf(id))?.[1];
        return old === undefined ? [] : [[this.#observe(source), this.#observe(old)]];
      }),
    );
    await processor.replaceSources(
      this.#all(next).map((source) => this.#observe(source)),
      replacing,
    );
    this.#named = next;
    for (const [, source] of removed) this.#observed.delete(source);
    if (added.length + removed.length === 0) return;
    this.#options.logger.info({ added: added.map(nameOf), removed: removed.map(nameOf) }, "sources replaced");
  }

  #all(named: ReadonlyMap<string, Source>): readonly Source[] {
    return [...this.#options.first, ...named.values(), ...this.#options.last];
  }

  #observe(source: Source): Source {
    const observed = this.#observed.get(source) ?? this.#options.observe(source);
    this.#observed.set(source, observed);
    return observed;
  }
}

/** Ignores `optional`, which has no effect after the start. Throws `bad-option`. */
function idOf(url: string): string {
  return parseSourceUrl(url).name;
}

/** The place that the source reads from, without its settings. */
function placeOf(id: string): string {
  const { scheme, rest } = parseSourceUrl(id);
  return `${scheme}:${rest}`;
}

function nameOf([, { name }]: readonly [string, Source]): string {
  return name;
}
