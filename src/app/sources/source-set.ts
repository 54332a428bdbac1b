import type { Processor } from "../../galley/processor/processor.ts";
import type { Source } from "../../galley/source/source.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { parseSourceUrl } from "./source-url.ts";

export interface SourceSetOptions {
  /** Those of the settings, in order of precedence. */
  readonly urls: readonly string[];
  /** Throws `bad-option`. */
  readonly make: (url: string) => Source;
  /** Those that do not change: they go before, or after, those of the settings. */
  readonly first: readonly Source[];
  readonly last: readonly Source[];
  /** What the processor is given in place of a source. */
  readonly dress: (source: Source) => Source;
  readonly logger: Logger;
}

/** The sources of a process. Those that the settings name may become others while it runs. */
export class SourceSet {
  readonly #options: SourceSetOptions;
  readonly #dressed = new Map<Source, Source>();
  /** By what identifies a source in the settings. */
  #named: ReadonlyMap<string, Source>;

  constructor(options: SourceSetOptions) {
    this.#options = options;
    this.#named = new Map(options.urls.map((url) => [idOf(url), options.make(url)]));
  }

  /** As they were made, in order of precedence. */
  get sources(): readonly Source[] {
    return this.#all(this.#named);
  }

  /** As the processor is given them. */
  get dressed(): readonly Source[] {
    return this.sources.map((source) => this.#dress(source));
  }

  /** Every source looks again at what it reads, whether or not it noticed a change. */
  async reload(): Promise<void> {
    await Promise.all(this.sources.map(async (source) => source.reload?.()));
  }

  /**
   * Goes on with other sources than before; those that stay are not disturbed, and one whose settings changed stays until
   * its successor has told all it has. Throws `bad-option` and `source-unavailable`: then nothing has changed.
   */
  async replace(urls: readonly string[], processor: Pick<Processor, "replaceSources">): Promise<void> {
    if (this.sources.length === 0 && urls.length > 0) {
      throw new MeshError("bad-option", "a server that was started without sources has nothing to read them with");
    }
    const before = this.#named;
    const next = new Map(urls.map((url) => [idOf(url), before.get(idOf(url)) ?? this.#options.make(url)]));
    const added = [...next].filter(([id]) => !before.has(id));
    const removed = [...before].filter(([id]) => !next.has(id));
    const replacing = new Map(
      added.flatMap(([id, source]): [Source, Source][] => {
        const old = removed.find(([oldId]) => placeOf(oldId) === placeOf(id))?.[1];
        return old === undefined ? [] : [[this.#dress(source), this.#dress(old)]];
      }),
    );
    await processor.replaceSources(
      this.#all(next).map((source) => this.#dress(source)),
      replacing,
    );
    this.#named = next;
    for (const [, source] of removed) this.#dressed.delete(source);
    if (added.length + removed.length === 0) return;
    this.#options.logger.info({ added: added.map(nameOf), removed: removed.map(nameOf) }, "sources replaced");
  }

  #all(named: ReadonlyMap<string, Source>): readonly Source[] {
    return [...this.#options.first, ...named.values(), ...this.#options.last];
  }

  #dress(source: Source): Source {
    const dressed = this.#dressed.get(source) ?? this.#options.dress(source);
    this.#dressed.set(source, dressed);
    return dressed;
  }
}

/** How long a source is waited for is of no interest once it runs. Throws `bad-option`. */
function idOf(url: string): string {
  return parseSourceUrl(url).name;
}

/** What it reads from, whatever the settings. */
function placeOf(id: string): string {
  const { scheme, rest } = parseSourceUrl(id);
  return `${scheme}:${rest}`;
}

function nameOf([, { name }]: readonly [string, Source]): string {
  return name;
}
