import { errorFrom } from "../lib/errors.ts";
import { GrpcStatus, type GrpcStream, type Peer } from "../lib/grpc/grpc-stream.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Mode } from "./mode.ts";
import type { StreamObserver } from "./observer.ts";
import type { Client, Lease, Push, ResourceSource } from "./resource-source.ts";
import type { ResourceType } from "./resource-type.ts";
import type { NameSets } from "./resources/name-set.ts";
import type { Target } from "./resources/target.ts";
import { Ordering, type OrderingOptions } from "./stream/ordering.ts";
import { StreamTypes } from "./stream/stream-types.ts";
import { Warming } from "./stream/warming.ts";
import { Watch, type Watched } from "./stream/watch.ts";
import type { Answer } from "./subscription/answer.ts";
import { receiveDelta } from "./subscription/delta.ts";
import type { Outcome } from "./subscription/reception.ts";
import { receiveSotw } from "./subscription/sotw.ts";
import { Subscription } from "./subscription/subscription.ts";
import { clusterType, endpointType } from "./type-urls.ts";
import { encodeDelta, encodeSotw } from "./wire/encode.ts";
import type { DeltaRequest, SotwRequest } from "./wire/request.ts";
import { readTypeUrl } from "./wire/v2.ts";

/** What all connections of a server share. */
export interface ConnectionContext<C extends Client> extends OrderingOptions {
  readonly source: ResourceSource<C>;
  readonly nameSets: NameSets;
  readonly clock: Clock;
  readonly observer: StreamObserver<C>;
}

/** What is a connection's own. */
interface ConnectionFacts<C extends Client> {
  readonly id: string;
  readonly client: C;
  readonly mode: Mode;
  readonly stream: GrpcStream;
}

/** More than this in the socket's queue, and the stream is left alone until it has been flushed. */
const busyBytes = 64 * 1024;

/** More names of a type than any client has use for: whoever asks for more would fill our memory. */
const maxNames = 100_000;

/** One stream: takes requests, and sends what is due whenever something changed. */
export class Connection<C extends Client> {
  readonly id: string;
  readonly client: C;
  readonly mode: Mode;
  /** In the clock's milliseconds. */
  readonly connectedAt: number;
  readonly #stream: GrpcStream;
  readonly #context: ConnectionContext<C>;
  readonly #watches = new Map<string, Watch>();
  readonly #types: StreamTypes;
  readonly #ordering: Ordering;
  readonly #warming: Warming;
  /** Types that were left. Whoever asks for one again with an empty list does not mean all of it. */
  readonly #left = new Set<string>();
  #nonce = 0;
  /** Since when a push has been waiting to leave completely. */
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
    this.#ordering = new Ordering(this.#watches, context, () => this.#guarded(() => this.pump()));
  }

  /** Streams of one class are served one after the other: their bytes are the same. */
  get classId(): string {
    return Array.from(this.#watches.values(), (watch) => watch.classId).join("\n");
  }

  get subscriptions(): readonly Subscription[] {
    return Array.from(this.#watches.values(), (watch) => watch.subscription);
  }

  /** Each type that the client has asked for. */
  get watched(): readonly Watched[] {
    return [...this.#watches.values()];
  }

  get peer(): Peer {
    return this.#stream.peer;
  }

  get closed(): boolean {
    return this.#stream.closed;
  }

  /** Bytes that were sent and have not left yet. */
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

  /** Something newer was published. */
  push({ reasons, startedAt }: Push): void {
    if (this.closed) return;
    this.#guarded(() => {
      this.#pushStartedAt ??= startedAt;
      for (const watch of this.#watches.values()) {
        for (const reason of reasons.keys()) watch.causes.add(reason);
        watch.renew(this.#lease(watch.subscription));
        if (!watch.subscription.blocked || !watch.mayBeDue) continue;
        watch.delayed = true;
        this.#context.observer.delayed(watch.subscription.type.shortName);
      }
      this.pump();
    });
  }

  /**
   * Sends what is due and need not wait, type by type. The only place that sends; called whenever a request, a push, an
   * acknowledgement, a flush or a time-out may have made something due.
   */
  pump(): void {
    if (this.closed) return;
    let waiting = false;
    for (const typeUrl of this.#types.inOrder()) {
      const watch = this.#watches.get(typeUrl);
      if (watch === undefined) continue;
      if (!watch.mayBeDue) watch.causes.clear();
      else if (this.#mustWait(watch)) waiting = true;
      else this.#answer(watch);
    }
    if (!waiting) this.#converged();
  }

  /** Sends the client away; it will come back, here or elsewhere. */
  disconnect(reason: string): void {
    this.#stream.end(GrpcStatus.UNAVAILABLE, reason);
  }

  close(): void {
    this.#ordering.end();
    for (const watch of this.#watches.values()) watch.end();
    this.#watches.clear();
  }

  #receive(request: SotwRequest | DeltaRequest, apply: (subscription: Subscription, first: boolean) => Outcome): void {
    const { typeUrl, dialect } = readTypeUrl(request.typeUrl);
    const { observer } = this.#context;
    const type = this.#types.find(typeUrl);
    if (type === undefined) return observer.unknownType(request.typeUrl, this.client.nodeId);
    const known = this.#watches.get(typeUrl);
    // Nothing was sent on this stream that could be rejected: the error is about an earlier one. Envoy says it with the
    // first request when the stream broke before it could, and asks by it as by any first request.
    if (known === undefined && request.error !== undefined) {
      observer.rejected(type.shortName, this.client.nodeId, request.error);
    }
    const subscription = known?.subscription ?? this.#subscribe(type, comesBack(request));
    const { asked } = subscription;
    const outcome = apply(subscription, known === undefined);
    if (subscription.names.size > maxNames) {
      return this.#stream.end(
        GrpcStatus.RESOURCE_EXHAUSTED,
        `${type.shortName}: more than ${maxNames} names at a time`,
      );
    }
    const watch = known ?? new Watch(subscription, dialect, this.#lease(subscription));
    this.#watches.set(typeUrl, watch);
    if (known !== undefined && subscription.asked !== asked) watch.renew(this.#lease(subscription));
    this.#tell(outcome, subscription);
    if (outcome.type === "unsubscribed" || (outcome.type === "nack" && outcome.left)) this.#forget(watch);
    if (subscription.inFlight === undefined) watch.stopWaiting();
    this.pump();
  }

  #subscribe(type: ResourceType, comesBack: boolean): Subscription {
    const clustersAsked = this.#watches.has(clusterType);
    if (type.typeUrl === endpointType) this.#warming.endpointsAsked({ clustersAsked });
    const referredTo = type.typeUrl === clusterType || (type.typeUrl === endpointType && !clustersAsked);
    if (comesBack && referredTo) this.#ordering.grantGrace();
    return new Subscription(type, this.mode, this.#left.has(type.typeUrl) ? { emptyMeansAll: false } : {});
  }

  #tell(outcome: Outcome, subscription: Subscription): void {
    const { observer } = this.#context;
    const { shortName } = subscription.type;
    if (outcome.type === "nack") observer.rejected(shortName, this.client.nodeId, outcome.reason, subscription);
    if (outcome.type === "stale") observer.staleNonce(shortName);
  }

  #lease({ type, asked }: Subscription): Lease {
    return this.#context.source.lease(type, this.client, asked);
  }

  #mustWait({ subscription }: Watch): boolean {
    if (subscription.blocked || this.#stream.queued > busyBytes) return true;
    return this.#ordering.mustWait(subscription.type.typeUrl);
  }

  #answer(watch: Watch): void {
    const startedAt = this.#context.clock.now();
    const answer = this.#due(watch, watch.target ?? []);
    if (answer === undefined) watch.causes.clear();
    else this.#send(watch, answer, startedAt);
  }

  #due({ subscription }: Watch, target: Target): Answer | undefined {
    const { typeUrl } = subscription.type;
    const mustResend = typeUrl === endpointType ? this.#warming.mustResend : undefined;
    const mayRemove = () => this.#ordering.mayRemove(typeUrl);
    return subscription.due(target, { mayRemove, ...(mustResend && { mustResend }) });
  }

  #send(watch: Watch, answer: Answer, startedAt: number): void {
    const { clock, observer, ackTimeoutMs } = this.#context;
    const { subscription, causes, dialect } = watch;
    const nonce = String(++this.#nonce);
    const encode = this.mode === "sotw" ? encodeSotw : encodeDelta;
    const response = encode(dialect, nonce, answer);
    const repeats = subscription.repetitionsIn(answer);
    subscription.sendAs(nonce, answer, clock.now());
    watch.stopWaiting();
    if (subscription.blocked) {
      watch.startWaiting(clock.after(ackTimeoutMs, () => this.#guarded(() => this.#overdue(watch))));
    }
    if (subscription.type.typeUrl === clusterType) {
      this.#warming.clustersSent(answer, this.#watches.get(endpointType)?.subscription);
    }
    observer.responseSent({
      type: subscription.type.shortName,
      typeUrl: subscription.type.typeUrl,
      node: this.client.nodeId,
      resources: response.resources,
      removed: answer.removed.length,
      bytes: response.bytes,
      cause: causes.size === 0 ? ["request"] : [...causes],
      repeats,
      ms: clock.now() - startedAt,
    });
    causes.clear();
    const sentAt = clock.now();
    // Last: the answer to it may arrive before this call returns.
    this.#stream.send(response.prefix, response.segments);
    observer.written(clock.now() - sentAt);
  }

  /** Envoy withholds the acknowledgement while clusters warm: repeat their endpoints before anything else. */
  #overdue(watch: Watch): void {
    const { inFlight, type } = watch.subscription;
    if (inFlight === undefined || this.closed) return;
    this.#context.observer.ackOverdue(type.shortName, this.client.nodeId, watch.delayed);
    watch.delayed = false;
    watch.subscription.expire();
    if (type.typeUrl === clusterType) {
      this.#warming.clustersOverdue(inFlight.answer, this.#watches.get(endpointType)?.subscription);
    }
    this.pump();
  }

  /** A bug in serving one client ends its stream, which it will open again, and nothing else. */
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

/** The first request of a type shows whether the client holds something of it from an earlier stream. */
function comesBack(request: SotwRequest | DeltaRequest): boolean {
  return "held" in request ? request.held.size > 0 : request.version !== "";
}
