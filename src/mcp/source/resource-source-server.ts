import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { mcpForm } from "../encoded-sets.ts";
import type { SourceObserver } from "../mcp-observer.ts";
import type { SnapshotCache } from "../snapshot-cache.ts";
import { RequestBudget } from "./request-budget.ts";
import { defaultSourceSettings, type SourceSettings } from "./source-settings.ts";
import { type SourceContext, SourceStream } from "./source-stream.ts";
import type { StreamStatus } from "./stream-status.ts";

export interface ResourceSourceOptions {
  readonly cache: Pick<SnapshotCache, "collections" | "sets" | "onChange">;
  readonly clock: Clock;
  readonly observer: SourceObserver;
  readonly settings?: Partial<SourceSettings>;
}

/**
 * Serves the snapshots of a cache over MCP v1alpha1, to any number of sinks. Sinks may dial us (ResourceSource), or we
 * dial them (ResourceSink, with a trigger). The server knows streams, not sockets.
 */
export class ResourceSourceServer {
  readonly #context: SourceContext;
  readonly #streams = new Set<SourceStream>();
  readonly #unsubscribe: Cancel;
  #lastId = 0;

  constructor({ cache, clock, observer, settings: given }: ResourceSourceOptions) {
    const settings = { ...defaultSourceSettings, ...given };
    const { requestsPerSecond: perSecond, requestBurst: burst } = settings;
    this.#context = {
      collections: new Set(cache.collections.keys()),
      sets: cache.sets(mcpForm),
      settings,
      budget: new RequestBudget({ clock, perSecond, burst }),
      clock,
      observer,
    };
    this.#unsubscribe = cache.onChange({
      changed: (collections) => {
        for (const stream of this.#streams) stream.changed(collections);
      },
    });
  }

  /** One row per open stream, in the order of arrival. */
  get status(): readonly StreamStatus[] {
    return Array.from(this.#streams, ({ status }) => status);
  }

  /** Serves a sink until its stream ends. `trigger` is for sinks that we dialled. */
  serve(stream: GrpcStream, { trigger = false }: { readonly trigger?: boolean } = {}): void {
    this.#context.budget.sweep();
    const served = new SourceStream(++this.#lastId, stream, this.#context);
    this.#streams.add(served);
    this.#context.observer.opened(served.facts);
    if (trigger) served.trigger();
    stream.attach({
      onMessage: (bytes) => served.receive(bytes),
      onFlushed: () => served.flushed(),
      onClose: (reason) => {
        this.#streams.delete(served);
        served.closed(reason);
      },
    });
  }

  /** Ends the streams of all sinks. They may connect elsewhere. */
  stop(): void {
    this.#unsubscribe();
    for (const stream of this.#streams) stream.end(GrpcStatus.UNAVAILABLE, "the source stops");
  }
}
