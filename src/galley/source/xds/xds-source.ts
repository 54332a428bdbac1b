import type { Clock } from "../../../lib/clock.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { SinkObserver } from "../../../mcp/observer.ts";
import type { XdsSinkOptions } from "../../../mcp/xds/sink/xds-sink.ts";
import type { Line } from "../mcp/mcp-source.ts";
import { filledBy } from "../mcp/received-collections.ts";
import type { Source, SourceHandler } from "../source.ts";
import { XdsSession } from "./xds-session.ts";

export interface XdsSourceOptions
  extends Pick<XdsSinkOptions, "mode" | "node" | "takesSynthetic" | "resyncMs" | "random"> {
  readonly name: string;
  /** To the aggregated service of the protocol. */
  readonly line: Line;
  /** What is asked for. */
  readonly collections: readonly McpCollection[];
  readonly clock: Clock;
  readonly observer: SinkObserver;
}

/**
 * A control plane somewhere else, a real istiod or one of us, read over xDS. It is stale while there is no stream, or
 * one that has not told everything yet; all it said stays.
 */
export class XdsSource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #options: XdsSourceOptions;
  #session: XdsSession | undefined;
  #started = Promise.resolve();

  constructor(options: XdsSourceOptions) {
    this.name = options.name;
    this.collections = options.collections.map(filledBy);
    this.#options = options;
  }

  start(handler: SourceHandler): Promise<void> {
    if (this.#session !== undefined) return this.#started;
    const session = new XdsSession(this.#options, handler);
    this.#session = session;
    this.#started = this.#options.line.start().then(
      () => session.dial(),
      (thrown: unknown) => {
        if (this.#session === session) this.#session = undefined;
        throw thrown;
      },
    );
    return this.#started;
  }

  async stop(): Promise<void> {
    this.#session?.close();
    this.#session = undefined;
    await this.#started.catch(() => undefined);
    await this.#options.line.stop();
  }

  /** Does not wait any longer for the next attempt. */
  reload(): Promise<void> {
    this.#session?.hurry();
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }
}
