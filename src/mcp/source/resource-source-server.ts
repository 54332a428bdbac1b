import type { SnapshotGroup } from "../../config/kind.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { mcpForm } from "../formed-sets.ts";
import type { SourceObserver } from "../observer.ts";
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
 * Serves the snapshots of a cache over MCP v1alpha1, to any number of sinks: those that dial us (ResourceSource), and
 * those that we dial (ResourceSink, with a trigger). Knows streams, not sockets.
 */
export class ResourceSourceServer {
  readonly #cache: ResourceSourceOptions["cache"];
  readonly #context: SourceContext;
  readonly #streams = new Set<SourceStream>();
  readonly #unsubscribe: Cancel;
  #lastId = 0;

  constructor({ cache, clock, observer, settings: given }: ResourceSourceOptions) {
    const settings = { ...defaultSourceSettings, ...given };
    const { requestsPerSecond: perSecond, requestBurst: burst } = settings;
    this.#cache = cache;
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
      dismissed: (group) => this.#dismiss(group),
    });
  }

  /** One row per open stream, in the order in which they came. */
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

  /** Sends all sinks away; they may come back elsewhere. */
  stop(): void {
    this.#unsubscribe();
    for (const stream of this.#streams) stream.end(GrpcStatus.UNAVAILABLE, "the source stops");
  }

  #dismiss(group: SnapshotGroup): void {
    const collections = new Set(
      Array.from(this.#cache.collections.values()).flatMap((row) => (row.group === group ? [row.name] : [])),
    );
    for (const stream of this.#streams) {
      if (stream.awaitsAny(collections)) stream.end(GrpcStatus.UNAVAILABLE, `${group} is no longer served`);
    }
  }
}
