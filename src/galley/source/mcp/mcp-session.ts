import { type CloseReason, GrpcStatus, type GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
import { whyClosed } from "../../../lib/grpc/why-closed.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { Redial } from "../../../lib/time/redial.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { NackStatus, PushFacts, RejectedResource, SinkObserver, StreamFacts } from "../../../mcp/mcp-observer.ts";
import type { SinkLimits } from "../../../mcp/sink/held-sizes.ts";
import { Sink } from "../../../mcp/sink/sink.ts";
import type { SinkChange } from "../../../mcp/sink/sink-updater.ts";
import { sourceVersionKey } from "../../../mcp/source-version.ts";
import { Freshness } from "../freshness.ts";
import { DoubtedChanges } from "../remote/doubted-changes.ts";
import { fallbackFor, isFallback } from "../remote/received-collections.ts";
import { ReceivedState } from "../remote/received-state.ts";
import type { ServerConnection } from "../remote/remote-source.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";
import { OfferedCollections } from "./offered-collections.ts";

/**
 * How long to wait for the fallback entries of services when all else is complete. A Galley with services sends them
 * first. A Galley whose old pipeline has none never answers.
 */
const fallbackWaitMs = 2_000;

export interface McpSessionOptions {
  readonly name: string;
  /** The connection to the Galley. Absent if the Galley dials us. */
  readonly connection?: ServerConnection;
  /** The collections to subscribe to. */
  readonly collections: readonly McpCollection[];
  /** The collections that the Galley is known to lack. They are not requested. */
  readonly lacks?: readonly string[];
  /** A hint for operators: why a Galley that dials us may not answer, and the remedy. */
  readonly onSilence?: string;
  /** Whether to request deltas where full state would do. */
  readonly incremental: boolean;
  /** Overrides of the default limits per collection. */
  readonly limits?: SinkLimits;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: SinkObserver;
}

/** Lives from a start to its stop, with one stream after the other, and keeps the received state. */
export class McpSession {
  readonly #options: McpSessionOptions;
  readonly #handler: SourceHandler;
  /** Absent if the Galley dials us: then the Galley retries. */
  readonly #redial: Redial | undefined;
  readonly #state: ReceivedState;
  readonly #doubted: DoubtedChanges;
  readonly #freshness = new Freshness();
  readonly #offer: OfferedCollections;
  #sink: Sink;
  /** The newest one. */
  #stream: GrpcStream | undefined;
  /** The collections that the stream has not sent yet. */
  #awaited = new Set<string>();
  #stopWaiting: Cancel = () => undefined;
  /** Whether a stream was opened and nothing has arrived on it. */
  #unanswered = false;
  #open = true;

  constructor(options: McpSessionOptions, handler: SourceHandler) {
    this.#options = options;
    this.#handler = handler;
    const { connection, clock, random, collections, lacks = [] } = options;
    this.#redial = connection && new Redial({ clock, random, dial: () => this.dial() });
    this.#state = new ReceivedState(collections);
    this.#doubted = new DoubtedChanges({ state: this.#state, clock, onBelieved: (events) => this.#believed(events) });
    this.#offer = new OfferedCollections(collections);
    for (const name of lacks) this.#lack(name);
    this.#offer.keep();
    this.#sink = this.#newSink();
  }

  get sink(): Sink {
    return this.#sink;
  }

  dial(): void {
    const { connection } = this.#options;
    if (!this.#open) return;
    if (connection !== undefined) this.attach(connection.open());
    else if (!this.#sink.attached) this.#emit(this.#freshness.stale("no Galley has connected yet"));
  }

  /** Attaches a stream to a Galley, in place of the current one. */
  attach(stream: GrpcStream): void {
    const before = this.#sink;
    this.#stopWaiting();
    this.#stream = stream;
    if (this.#redial === undefined) this.#called();
    this.#awaited = new Set(this.#offer.all.map(({ name }) => name));
    this.#unanswered = true;
    this.#doubted.begin();
    this.#sink.attach(stream);
    if (before !== this.#sink) before.detach();
  }

  hurry(): void {
    this.#redial?.hurry();
  }

  close(): void {
    this.#open = false;
    this.#redial?.stop();
    this.#stopWaiting();
    this.#doubted.end();
    this.#sink.detach();
  }

  /** The Galley's version. A Galley that we dial sends it with its first answer. */
  get #version(): string | undefined {
    return this.#stream?.metadata?.(sourceVersionKey);
  }

  /**
   * A Galley dials us. After a request for too much, the real Galley dials again and leaves the old stream open and
   * silent.
   */
  #called(): void {
    if (this.#offer.renew(this.#version)) this.#sink = this.#newSink();
    else if (this.#unanswered) this.#askForLess();
  }

  #askForLess(): void {
    const missing = this.#offer.missingAt(this.#version);
    if (missing.length === 0) return this.#emit(this.#freshness.stale(this.#silence()));
    for (const name of missing) this.#lack(name);
    this.#sink = this.#newSink();
  }

  /** A different Galley has replaced the one that lacked something. */
  #askAnew(): void {
    const before = this.#sink;
    this.#sink = this.#newSink();
    this.dial();
    before.detach();
  }

  #newSink(): Sink {
    const { name, clock, incremental, limits = {} } = this.#options;
    return new Sink({
      limits,
      sourceName: name,
      node: { id: "", annotations: {} },
      collections: this.#offer.all.map((collection) => ({ collection, incremental })),
      updater: { apply: (change) => this.#apply(change) },
      clock,
      observer: this.#observer(),
    });
  }

  #apply(change: SinkChange): readonly RejectedResource[] {
    const { events, refused } = this.#doubted.apply(change);
    this.#emit(events);
    return refused;
  }

  #believed(events: readonly SourceEvent[]): void {
    this.#emit(events);
    this.#noteFreshness();
  }

  #noteFreshness(): void {
    const { reason } = this.#doubted;
    if (reason !== undefined) this.#emit(this.#freshness.stale(reason));
    else if (this.#awaited.size === 0) this.#emit(this.#freshness.fresh());
  }

  /** Forwards the events of the sink. */
  #observer(): SinkObserver {
    const { observer } = this.#options;
    return {
      attached: (stream) => observer.attached(stream),
      detached: (stream, reason) => this.#detached(stream, reason),
      received: (push) => {
        this.#unanswered = false;
        this.#redial?.worked();
        observer.received(push);
      },
      acked: (push) => {
        observer.acked(push);
        this.#answered(push);
      },
      nacked: (push, refusal, rejected) => this.#nacked(push, refusal, rejected),
    };
  }

  #nacked(push: PushFacts, refusal: NackStatus, rejected: readonly RejectedResource[]): void {
    this.#options.observer.nacked(push, refusal, rejected);
    // A partly accepted push counts as answered, because nothing better comes until the source changes.
    if (rejected.length > 0) return this.#answered(push);
    if (refusal.code !== GrpcStatus.RESOURCE_EXHAUSTED) return;
    this.#awaited.add(push.collection);
    this.#emit(this.#freshness.stale(refusal.message));
  }

  #answered({ collection }: Pick<PushFacts, "collection">): void {
    if (this.#offer.renew(this.#version)) return this.#askAnew();
    this.#awaited.delete(collection);
    // The previous Galley may have had only the fallback.
    const fallback = fallbackFor(collection);
    if (fallback !== undefined) this.#emit(this.#state.applyNothing(fallback.name));
    this.#waitForFallback();
    this.#noteFreshness();
  }

  /** Waits for a while, if nothing else is awaited. */
  #waitForFallback(): void {
    this.#stopWaiting();
    const [last, ...more] = this.#offer.all.filter(({ name }) => this.#awaited.has(name));
    if (last === undefined || more.length > 0 || !isFallback(last)) return;
    this.#stopWaiting = this.#options.clock.after(fallbackWaitMs, () => {
      this.#emit(this.#state.settle(last.name));
      this.#answered({ collection: last.name });
    });
  }

  #detached(stream: StreamFacts, reason: CloseReason): void {
    this.#options.observer.detached(stream, reason);
    // Another stream has already replaced this one.
    if (this.#sink.attached) return;
    this.#stopWaiting();
    this.#doubted.end();
    if (!this.#open) return;
    const unsupported = unsupportedCollection(reason);
    if (unsupported !== undefined && this.#offer.has(unsupported)) return this.#goWithout(unsupported);
    this.#emit(this.#freshness.stale(this.#whyDetached(reason)));
    this.#redial?.later();
  }

  #whyDetached(reason: CloseReason): string {
    if (this.#redial !== undefined) return whyClosed(reason);
    if (this.#unanswered) return this.#silence();
    return reason.type === "client" ? "it hung up" : whyClosed(reason);
  }

  /** The reason to report when a Galley dialled and left without any answer. */
  #silence(): string {
    const { onSilence } = this.#options;
    return `a Galley is connected, but does not respond${onSilence === undefined ? "" : `: ${onSilence}`}`;
  }

  /**
   * The real Galley ends the whole stream for one collection that it lacks. We subscribe to the others at once, without
   * everything else that a Galley of its version lacks. It accepts a burst of 100 streams from all Pilots, then one per
   * second.
   */
  #goWithout(unsupported: string): void {
    for (const name of new Set([unsupported, ...this.#offer.missingAt(this.#version)])) this.#lack(name);
    this.#sink = this.#newSink();
    this.dial();
  }

  #lack(lacking: string): void {
    const fallback = this.#offer.lack(lacking, this.#version);
    this.#emit(fallback ? this.#state.replace(lacking, fallback) : this.#state.applyNothing(lacking));
  }

  #emit(events: readonly SourceEvent[]): void {
    if (this.#open && events.length > 0) this.#handler(events);
  }
}

function unsupportedCollection(reason: CloseReason): string | undefined {
  if (reason.type !== "server" || reason.status?.code !== GrpcStatus.INVALID_ARGUMENT) return undefined;
  return /^unsupported collection "(?<name>[^"]+)"/.exec(reason.status.message)?.groups?.["name"];
}
