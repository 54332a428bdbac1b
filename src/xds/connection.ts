import { errorFrom } from "../lib/errors.ts";
import { type CloseReason, GrpcStatus, type GrpcStream, type Peer } from "../lib/grpc/grpc-stream.ts";
import { SendTimeout } from "../lib/grpc/send-timeout.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Mode } from "./mode.ts";
import type { StreamObserver } from "./stream-observer.ts";
import type { Client, Lease, Push, ResourceSource } from "./resource-source.ts";
import type { ResourceType } from "./resource-type.ts";
import type { NameSets } from "./resources/name-set.ts";
import type { Target } from "./resources/target.ts";
import { Ordering, type OrderingOptions } from "./stream/ordering.ts";
import { PushProgress } from "./stream/push-progress.ts";
import { noPushes, type PushSet } from "./stream/push-set.ts";
import { StreamClass } from "./stream/stream-class.ts";
import { StreamTypes } from "./stream/stream-types.ts";
import { Warming } from "./stream/warming.ts";
import { Watch, type WatchProgress } from "./stream/watch.ts";
import type { Answer } from "./subscription/answer.ts";
import { receiveDelta } from "./subscription/delta.ts";
import type { RequestResult } from "./subscription/request-context.ts";
import { receiveSotw } from "./subscription/sotw.ts";
import { Subscription } from "./subscription/subscription.ts";
import { type Verdict, verdictOnAll } from "./subscription/verdict.ts";
import { clusterType, endpointType } from "./type-urls.ts";
import type { RouteSplits } from "./virtual-hosts/route-splits.ts";
import { StreamRoutes } from "./virtual-hosts/stream-routes.ts";
import { encodeDelta, encodeSotw } from "./wire/encode.ts";
import type { DeltaRequest, SotwRequest } from "./wire/request.ts";
import { readTypeUrl } from "./wire/v2.ts";
import { xdsLimits } from "./xds-limits.ts";

/** State that all connections of a server share. */
export interface ConnectionContext<C extends Client> extends OrderingOptions {
  readonly source: ResourceSource<C>;
  readonly nameSets: NameSets;
  readonly splits: RouteSplits;
  readonly clock: Clock;
  readonly observer: StreamObserver<C>;
  /** Whether the next response of a type waits until the client acknowledged the last one. Default: true. */
  readonly flowControl?: boolean;
  /** A response leaves to the client. */
  readonly onSent?: (connection: Connection<C>) => void;
  /** A client sent an ACK or NACK, and the responses that became due have left. */
  readonly onAnswered?: (connection: Connection<C>, verdict: "ack" | "nack") => void;
}

/** State of one connection. */
interface ConnectionFacts<C extends Client> {
  readonly id: string;
  readonly client: C;
  readonly mode: Mode;
  readonly stream: GrpcStream;
}

/** Send limit. With more bytes in the socket's queue, the connection sends nothing until a flush. */
const busyBytes = 64 * 1024;

/** One stream. It receives requests and sends due responses after every change. */
export class Connection<C extends Client> {
  readonly id: string;
  readonly client: C;
  readonly mode: Mode;
  /** In the clock's milliseconds. */
  readonly connectedAt: number;
  readonly #stream: GrpcStream;
  readonly #context: ConnectionContext<C>;
  readonly #watches = new Map<string, Watch>();
  readonly #class = new StreamClass();
  readonly #types: StreamTypes;
  readonly #ordering: Ordering;
  readonly #warming: Warming;
  /** Undefined if the client gets whole route configurations. */
  readonly #routes: StreamRoutes | undefined;
  /** Undefined if nobody follows the pushes. */
  readonly #progress: PushProgress | undefined;
  /** Types that the client unsubscribed from. An empty list no longer subscribes such a type to everything. */
  readonly #left = new Set<string>();
  /** Types of responses that have not left completely. */
  readonly #unsent = new Set<string>();
  #nonce = 0;
  #resumed = false;
  /** When the oldest push that has not left completely began. */
  #pushStartedAt: number | undefined;

  constructor({ id, client, mode, stream }: ConnectionFacts<C>, context: ConnectionContext<C>) {
    this.id = id;
    this.client = client;
    this.mode = mode;
    this.#stream = stream;
    this.#context = context;
    this.connectedAt = context.clock.now();
    this.#types = new StreamTypes(context.source);
    this.#warming = new Warming(context.warmingRules);
    const minHosts = mode === "delta" ? context.source.splitFrom?.(client) : undefined;
    this.#routes = minHosts === undefined ? undefined : new StreamRoutes({ ...context, minHosts });
    const { observer } = context;
    this.#progress =
      observer.pushesOwed &&
      new PushProgress({
        owed: (pushes) => observer.pushesOwed?.(client.nodeId, pushes),
        ended: (pushes, how) => observer.pushesEnded?.(client.nodeId, pushes, how),
      });
    this.#ordering = new Ordering(this.#watches, context, () => this.#guarded(() => this.pump()));
  }

  /** Names the class of streams that get the same bytes. The server serves a class stream by stream. */
  get classId(): string {
    return this.#class.idOf(Array.from(this.#watches.values(), ({ lease }) => lease));
  }

  get subscriptions(): readonly Subscription[] {
    return Array.from(this.#watches.values(), (watch) => watch.subscription);
  }

  /** Each type that the client has requested. */
  get watched(): readonly WatchProgress[] {
    return [...this.#watches.values()];
  }

  /** The client's verdict about everything that it should have: rejected if it rejects one type. */
  get verdict(): Verdict {
    return verdictOnAll(Array.from(this.#watches.values(), (watch) => watch.verdict));
  }

  /** The numbered pushes that the client has not answered, or has not been sent. Empty if nobody follows the pushes. */
  get owedPushes(): PushSet {
    return this.#progress?.owed ?? noPushes;
  }

  /** True if the client holds resources from an earlier stream. */
  get resumed(): boolean {
    return this.#resumed;
  }

  get peer(): Peer {
    return this.#stream.peer;
  }

  get closed(): boolean {
    return this.#stream.closed;
  }

  /** Sent bytes that have not left yet. */
  get queued(): number {
    return this.#stream.queued;
  }

  receiveSotw(request: SotwRequest): void {
    const { nameSets, warmingRules } = this.#context;
    this.#receive(request, (subscription, first) => {
      const answerRepeats = subscription.type.typeUrl === endpointType && warmingRules.repeatedRequestIsQuestion;
      return receiveSotw(subscription, request, { first, nameSets, answerRepeats });
    });
  }

  receiveDelta(request: DeltaRequest): void {
    const { nameSets } = this.#context;
    this.#receive(request, (subscription, first) => receiveDelta(subscription, request, { first, nameSets }));
  }

  /** The source published newer resources. */
  push({ reasons, startedAt, pushes }: Push): void {
    if (this.closed) return;
    this.#guarded(() => {
      this.#pushStartedAt ??= startedAt;
      const followed = this.#progress && pushes;
      for (const watch of this.#watches.values()) {
        const lease = this.#lease(watch.subscription, watch.lease);
        if (watch.has(lease)) continue;
        watch.publish(lease, reasons.keys(), followed);
        if (!watch.subscription.blocked || !watch.mayBeDue) continue;
        watch.delayed = true;
        this.#context.observer.delayed(watch.subscription.type.shortName, this.client.nodeId);
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
    let waiting = false;
    for (const typeUrl of this.#types.inOrder()) {
      const watch = this.#watches.get(typeUrl);
      if (watch === undefined) continue;
      if (!watch.mayBeDue) watch.done();
      else if (this.#mustWait(watch)) waiting = true;
      else this.#answer(watch);
    }
    this.#progress?.update(this.#watches.values().map((watch) => watch.pushes));
    if (!waiting) this.#converged();
  }

  /** Ends the stream. The client reconnects, here or to another replica. */
  disconnect(reason: string): void {
    this.#stream.end(GrpcStatus.UNAVAILABLE, reason);
  }

  /** All sent bytes have left. */
  flushed(): void {
    this.#unsent.clear();
    this.pump();
  }

  /** The stream has ended. Bytes that have not left are lost. */
  close(reason: CloseReason): void {
    if (reason.type === "broken") {
      const timedOut = reason.cause instanceof SendTimeout;
      for (const type of this.#unsent) this.#context.observer.sendFailed(type, this.client.nodeId, timedOut);
    }
    this.#ordering.end();
    for (const watch of this.#watches.values()) watch.end();
    this.#watches.clear();
    this.#progress?.close();
  }

  #receive(
    request: SotwRequest | DeltaRequest,
    apply: (subscription: Subscription, first: boolean) => RequestResult,
  ): void {
    const { typeUrl, dialect } = readTypeUrl(request.typeUrl);
    const { observer } = this.#context;
    const type = this.#types.find(typeUrl);
    if (type === undefined) return observer.unknownType(request.typeUrl, this.client.nodeId);
    const known = this.#watches.get(typeUrl);
    // This stream has sent nothing that the client could reject: the error is about an earlier stream. Envoy sends it
    // with the first request if the old stream broke too early. The request still subscribes like any first request.
    if (known === undefined && request.error !== undefined) {
      observer.rejected(type.shortName, this.client.nodeId, request.error);
    }
    if (known === undefined) this.#resumed ||= comesBack(request);
    const subscription = known?.subscription ?? this.#subscribe(type, comesBack(request));
    const { asked } = subscription;
    const result = apply(subscription, known === undefined);
    const { most } = xdsLimits.names;
    if (subscription.names.size > most) {
      return this.#stream.end(GrpcStatus.RESOURCE_EXHAUSTED, `${type.shortName}: more than ${most} names at a time`);
    }
    const leasedAt = this.#context.clock.now();
    const watch = known ?? new Watch(subscription, dialect, this.#lease(subscription));
    this.#watches.set(typeUrl, watch);
    if (known !== undefined && subscription.asked !== asked) watch.renew(this.#lease(subscription, watch.lease));
    watch.madeMs += this.#context.clock.now() - leasedAt;
    this.#tell(result, watch, request.nonce);
    if (result.type === "unsubscribed" || (result.type === "nack" && result.left)) this.#forget(watch);
    if (subscription.inFlight === undefined) this.#release(watch);
    this.pump();
    if (result.type === "ack" || result.type === "nack") this.#context.onAnswered?.(this, result.type);
  }

  /** Stops waiting for the acknowledgement. The next `pump` sends a change that was delayed. */
  #release(watch: Watch): void {
    const { type } = watch.subscription;
    if (watch.delayed) this.#context.observer.released(type.shortName, this.client.nodeId);
    watch.stopWaiting();
  }

  #subscribe(type: ResourceType, comesBack: boolean): Subscription {
    const clustersAsked = this.#watches.has(clusterType);
    if (type.typeUrl === endpointType) this.#warming.endpointsAsked({ clustersAsked });
    const referredTo = type.typeUrl === clusterType || (type.typeUrl === endpointType && !clustersAsked);
    if (comesBack && referredTo) this.#ordering.grantGrace();
    const { flowControl = true } = this.#context;
    return new Subscription(type, this.mode, {
      flowControl,
      ...(this.#left.has(type.typeUrl) && { legacyWildcard: false }),
    });
  }

  #tell(result: RequestResult, { subscription, pushes }: Watch, nonce: string): void {
    const { observer } = this.#context;
    const { shortName } = subscription.type;
    if (result.type === "stale") return observer.staleNonce(shortName);
    const answered = pushes.take(nonce, result.type === "nack" ? "nack" : "ack");
    if (subscription.error === undefined) pushes.complete();
    if (result.type !== "nack") return;
    this.#progress?.rejected(answered);
    observer.rejected(shortName, this.client.nodeId, result.reason, subscription, answered);
  }

  #lease(subscription: Subscription, before?: Lease): Lease {
    const { type, asked } = subscription;
    const lease = (known?: Lease) => this.#context.source.lease(type, this.client, asked, known);
    return this.#routes === undefined ? lease(before) : this.#routes.lease(subscription, lease, before);
  }

  #mustWait({ subscription }: Watch): boolean {
    if (subscription.blocked || this.#stream.queued > busyBytes) return true;
    return this.#ordering.mustWait(subscription.type.typeUrl);
  }

  #answer(watch: Watch): void {
    const startedAt = this.#context.clock.now();
    const { answer, holdsBack } = this.#due(watch, watch.target ?? []);
    if (answer === undefined) watch.done({ holdsBack });
    else this.#send(watch, answer, { startedAt, holdsBack });
  }

  /** `holdsBack` if something is to be removed later. */
  #due({ subscription }: Watch, target: Target): { readonly answer: Answer | undefined; readonly holdsBack: boolean } {
    const { typeUrl } = subscription.type;
    const mustResend = typeUrl === endpointType ? this.#warming.mustResend : this.#routes?.mustResend(typeUrl);
    let holdsBack = false;
    const mayRemove = () => {
      holdsBack = !this.#ordering.mayRemove(typeUrl);
      return !holdsBack;
    };
    const answer = subscription.due(target, { mayRemove, ...(mustResend && { mustResend }) });
    return { answer, holdsBack };
  }

  #send(
    watch: Watch,
    answer: Answer,
    { startedAt, holdsBack }: { readonly startedAt: number; readonly holdsBack: boolean },
  ): void {
    const { clock, observer, ackTimeoutMs } = this.#context;
    const { subscription, causes, dialect } = watch;
    const nonce = String(++this.#nonce);
    const encode = this.mode === "sotw" ? encodeSotw : encodeDelta;
    const response = encode(dialect, nonce, answer);
    const repeats = subscription.repetitionsIn(answer);
    subscription.recordSent(nonce, answer, clock.now());
    watch.stopWaiting();
    if (subscription.awaitsAck) {
      watch.startWaiting(clock.after(ackTimeoutMs, () => this.#guarded(() => this.#overdue(watch))));
    }
    if (subscription.type.typeUrl === clusterType) {
      this.#warming.clustersSent(answer, this.#watches.get(endpointType)?.subscription);
    }
    this.#routes?.sent(answer, subscription);
    const awaitsAnswer = subscription.type.neverAcknowledged !== true;
    const isPartial = answer.postponed.length > 0;
    const pushes = watch.pushes.send(nonce, { awaitsAnswer, holdsBack, isPartial });
    if (pushes.length > 0) this.#progress?.sent(pushes);
    observer.responseSent({
      type: subscription.type.shortName,
      typeUrl: subscription.type.typeUrl,
      node: this.client.nodeId,
      resources: response.resources,
      removed: answer.removed.length,
      bytes: response.bytes,
      cause: causes.size === 0 ? ["request"] : [...causes],
      repeats,
      ...(pushes.length > 0 && { pushes }),
      ms: watch.madeMs + clock.now() - startedAt,
    });
    watch.done({ holdsBack });
    this.#unsent.add(subscription.type.shortName);
    this.#context.onSent?.(this);
    const sentAt = clock.now();
    // Must be last: the client's reply may arrive before this call returns.
    this.#stream.send(response.prefix, response.segments);
    observer.written(clock.now() - sentAt);
  }

  /** Envoy withholds the acknowledgement while clusters warm, so repeat their endpoints before anything else. */
  #overdue(watch: Watch): void {
    const { inFlight, type } = watch.subscription;
    if (inFlight === undefined || this.closed) return;
    this.#context.observer.ackOverdue(type.shortName, this.client.nodeId, watch.delayed);
    watch.delayed = false;
    watch.subscription.stopAwaitingAck();
    if (type.typeUrl === clusterType) {
      this.#warming.clustersOverdue(inFlight.answer, this.#watches.get(endpointType)?.subscription);
    }
    this.pump();
  }

  /** A bug in serving one client ends only the stream of that client. The client opens it again. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#context.observer.streamFailed(this.client.nodeId, errorFrom(thrown));
      this.#stream.end(GrpcStatus.INTERNAL, "internal error");
    }
  }

  #converged(): void {
    if (this.#pushStartedAt === undefined) return;
    this.#context.observer.converged(this.client.nodeId, this.#context.clock.now() - this.#pushStartedAt);
    this.#pushStartedAt = undefined;
  }

  #forget(watch: Watch): void {
    const { typeUrl } = watch.subscription.type;
    watch.end();
    this.#watches.delete(typeUrl);
    this.#left.add(typeUrl);
  }
}

/** The first request of a type shows whether the client still holds resources from an earlier stream. */
function comesBack(request: SotwRequest | DeltaRequest): boolean {
  return "held" in request ? request.held.size > 0 : request.version !== "";
}
