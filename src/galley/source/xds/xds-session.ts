import { type CloseReason, GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import { whyClosed } from "../../../lib/grpc/why-closed.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Redial } from "../../../lib/time/redial.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { RejectedResource, SinkObserver, StreamFacts } from "../../../mcp/mcp-observer.ts";
import type { SinkChange } from "../../../mcp/sink/sink-updater.ts";
import { XdsSink, type XdsSinkOptions } from "../../../mcp/xds/sink/xds-sink.ts";
import { Freshness } from "../freshness.ts";
import { DoubtedChanges } from "../remote/doubted-changes.ts";
import { ReceivedState } from "../remote/received-state.ts";
import type { ServerConnection } from "../remote/remote-source.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";

export interface XdsSourceOptions
  extends Pick<XdsSinkOptions, "mode" | "node" | "takesSynthetic" | "revision" | "resyncMs" | "random" | "limits"> {
  readonly name: string;
  /** The connection to the aggregated discovery service. */
  readonly connection: ServerConnection;
  /** The collections to subscribe to. */
  readonly collections: readonly McpCollection[];
  readonly clock: Clock;
  readonly observer: SinkObserver;
}

/** Lives from a start to its stop, with one stream after the other, and keeps the received state. */
export class XdsSession {
  readonly #options: XdsSourceOptions;
  readonly #handler: SourceHandler;
  readonly #redial: Redial;
  readonly #doubted: DoubtedChanges;
  readonly #sink: XdsSink;
  readonly #freshness = new Freshness();
  /** The limit that the server exceeded, until it has sent everything within the limit. */
  #excess: string | undefined;
  #open = true;

  constructor(options: XdsSourceOptions, handler: SourceHandler) {
    this.#options = options;
    this.#handler = handler;
    this.#redial = new Redial({ ...options, dial: () => this.dial() });
    const state = new ReceivedState(options.collections);
    this.#doubted = new DoubtedChanges({ ...options, state, onBelieved: (events) => this.#believed(events) });
    this.#sink = new XdsSink({
      ...options,
      sourceName: options.name,
      apply: (change) => this.#apply(change),
      observer: this.#observer(),
    });
  }

  dial(): void {
    if (!this.#open) return;
    this.#doubted.begin();
    this.#sink.attach(this.#options.connection.open());
  }

  hurry(): void {
    this.#redial.hurry();
  }

  close(): void {
    this.#open = false;
    this.#redial.stop();
    this.#doubted.end();
    this.#sink.detach();
  }

  /** Forwards the events of the sink. */
  #observer(): SinkObserver {
    const { observer } = this.#options;
    return {
      attached: (stream) => observer.attached(stream),
      detached: (stream, reason) => this.#detached(stream, reason),
      received: (push) => {
        // If a server always sends too much, each answer would otherwise reset the backoff.
        if (this.#excess === undefined) this.#redial.worked();
        observer.received(push);
      },
      acked: (push) => {
        observer.acked(push);
        this.#answered();
      },
      nacked: (push, refusal, rejected) => {
        observer.nacked(push, refusal, rejected);
        if (refusal.code === GrpcStatus.RESOURCE_EXHAUSTED) this.#excess = refusal.message;
        else this.#answered();
      },
    };
  }

  #apply(change: SinkChange): readonly RejectedResource[] {
    const { events, refused } = this.#doubted.apply(change);
    this.#emit(events);
    return refused;
  }

  #believed(events: readonly SourceEvent[]): void {
    this.#emit(events);
    this.#answered();
  }

  #answered(): void {
    const { reason } = this.#doubted;
    if (reason !== undefined) this.#emit(this.#freshness.stale(reason));
    if (this.#sink.awaited.length > 0) return;
    this.#excess = undefined;
    if (reason === undefined) this.#emit(this.#freshness.fresh());
  }

  #detached(stream: StreamFacts, reason: CloseReason): void {
    this.#options.observer.detached(stream, reason);
    this.#doubted.end();
    if (!this.#open) return;
    this.#emit(this.#freshness.stale(this.#excess ?? whyClosed(reason)));
    this.#redial.later();
  }

  #emit(events: readonly SourceEvent[]): void {
    if (this.#open && events.length > 0) this.#handler(events);
  }
}
