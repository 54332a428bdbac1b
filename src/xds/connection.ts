import { type CloseReason, GrpcStatus, type Peer } from "../lib/grpc/grpc-stream.ts";
import type { Mode } from "./mode.ts";
import type { Client, Push } from "./resource-source.ts";
import type { PushSet } from "./stream/push-set.ts";
import { StreamClass } from "./stream/stream-class.ts";
import { StreamRequests } from "./stream/stream-requests.ts";
import { StreamResponses } from "./stream/stream-responses.ts";
import { type StreamContext, type StreamFacts, StreamState } from "./stream/stream-state.ts";
import type { Watch, WatchProgress } from "./stream/watch.ts";
import type { RequestResult } from "./subscription/request-context.ts";
import type { Subscription } from "./subscription/subscription.ts";
import { type Verdict, verdictOnAll } from "./subscription/verdict.ts";
import type { DeltaRequest, SotwRequest } from "./wire/request.ts";

/** State that all connections of a server share. */
export interface ConnectionContext<C extends Client> extends StreamContext<C> {
  /** A response leaves to the client. */
  readonly onSent?: (connection: Connection<C>) => void;
  /** A client sent an ACK or NACK, and the responses that became due have left. */
  readonly onAnswered?: (connection: Connection<C>, verdict: "ack" | "nack") => void;
}

/** State of one connection. */
interface ConnectionFacts<C extends Client> extends StreamFacts<C> {
  readonly id: string;
}

/** Send limit. With more bytes in the socket's queue, the connection sends nothing until a flush. */
const busyBytes = 64 * 1024;

/**
 * One stream. It receives requests (`stream/stream-requests.ts`) and sends due responses (`stream/stream-responses.ts`)
 * after every change.
 */
export class Connection<C extends Client> {
  readonly id: string;
  /** In the clock's milliseconds. */
  readonly connectedAt: number;
  readonly #context: ConnectionContext<C>;
  readonly #state: StreamState<C>;
  readonly #requests: StreamRequests<C>;
  readonly #responses: StreamResponses<C>;
  readonly #class = new StreamClass();
  /** When the oldest push that has not left completely began. */
  #pushStartedAt: number | undefined;

  constructor({ id, ...facts }: ConnectionFacts<C>, context: ConnectionContext<C>) {
    this.id = id;
    this.connectedAt = context.clock.now();
    this.#context = context;
    this.#state = new StreamState(facts, context, () => this.pump());
    this.#requests = new StreamRequests(this.#state);
    this.#responses = new StreamResponses(this.#state, {
      sent: () => context.onSent?.(this),
      overdue: () => this.pump(),
    });
  }

  get client(): C {
    return this.#state.client;
  }

  get mode(): Mode {
    return this.#state.mode;
  }

  get peer(): Peer {
    return this.#state.stream.peer;
  }

  get closed(): boolean {
    return this.#state.stream.closed;
  }

  /** Sent bytes that have not left yet. */
  get queued(): number {
    return this.#state.stream.queued;
  }

  /** Names the class of streams that get the same bytes. The server serves a class stream by stream. */
  get classId(): string {
    return this.#class.idOf(this.#state.watches);
  }

  get subscriptions(): readonly Subscription[] {
    return Array.from(this.#state.watches.values(), (watch) => watch.subscription);
  }

  /** Each type that the client has requested. */
  get watched(): readonly WatchProgress[] {
    return [...this.#state.watches.values()];
  }

  /** The client's verdict about everything that it should have: rejected if it rejects one type. */
  get verdict(): Verdict {
    return verdictOnAll(Array.from(this.#state.watches.values(), (watch) => watch.verdict));
  }

  /** The numbered pushes that the client has not answered, or has not been sent. */
  get owedPushes(): PushSet {
    return this.#state.progress.owed;
  }

  /** True if the client holds resources from an earlier stream. */
  get resumed(): boolean {
    return this.#requests.resumed;
  }

  receiveSotw(request: SotwRequest): void {
    this.#received(this.#requests.receiveSotw(request));
  }

  receiveDelta(request: DeltaRequest): void {
    this.#received(this.#requests.receiveDelta(request));
    if (request.held.size > 0) for (const { subscription } of this.#state.watches.values()) subscription.keepHeld();
  }

  #received(result: RequestResult | undefined): void {
    if (result === undefined) return;
    this.pump();
    if (result.type === "ack" || result.type === "nack") this.#context.onAnswered?.(this, result.type);
  }

  /** The source published newer resources. */
  push({ reasons, startedAt, pushes }: Push): void {
    if (this.closed) return;
    const { client, context, watches } = this.#state;
    this.#state.guarded(() => {
      this.#pushStartedAt ??= startedAt;
      for (const watch of watches.values()) {
        const lease = this.#state.lease(watch.subscription, watch.lease);
        if (watch.has(lease)) continue;
        watch.publish(lease, reasons.keys(), pushes);
        if (!watch.subscription.blocked || !watch.mayBeDue) continue;
        watch.delayed = true;
        context.observer.delayed(watch.subscription.type.shortName, client.nodeId);
      }
      this.pump();
    });
  }

  /**
   * Sends every due response that need not wait, type by type. Only this method sends. It runs after each request,
   * push, acknowledgement, flush or time-out, because each can make a response due.
   */
  pump(): void {
    if (this.closed) return;
    const { progress, types, watches } = this.#state;
    let waiting = false;
    for (const typeUrl of types.inOrder) {
      const watch = watches.get(typeUrl);
      if (watch === undefined) continue;
      if (!watch.mayBeDue) watch.done();
      else if (this.#mustWait(watch)) waiting = true;
      else this.#responses.answer(watch);
    }
    progress.update(watches.values());
    if (!waiting) this.#converged();
  }

  #mustWait({ subscription }: Watch): boolean {
    if (subscription.blocked || this.queued > busyBytes) return true;
    return this.#state.ordering.mustWait(subscription.type.typeUrl);
  }

  #converged(): void {
    if (this.#pushStartedAt === undefined) return;
    const { clock, observer } = this.#context;
    observer.converged(this.client.nodeId, clock.now() - this.#pushStartedAt);
    this.#pushStartedAt = undefined;
  }

  /** All sent bytes have left. */
  flushed(): void {
    this.#responses.flushed();
    this.pump();
  }

  /** Ends the stream. The client reconnects, here or to another replica. */
  disconnect(reason: string): void {
    this.#state.stream.end(GrpcStatus.UNAVAILABLE, reason);
  }

  /** The stream has ended. Bytes that have not left are lost. */
  close(reason: CloseReason): void {
    this.#responses.close(reason);
    this.#state.end();
  }
}
