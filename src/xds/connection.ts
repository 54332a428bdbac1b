import type { Cancel, Clock } from "../lib/clock.ts";
import { errorFrom } from "../lib/errors.ts";
import { GrpcStatus, type GrpcStream } from "../lib/grpc-stream.ts";
import type { StreamObserver } from "./observer.ts";
import type { Client, Lease, Push, ResourceSource } from "./resource-source.ts";
import type { NameSets } from "./resources/name-set.ts";
import type { Answer } from "./subscription/answer.ts";
import { receiveDelta } from "./subscription/delta.ts";
import { type Outcome, receiveSotw } from "./subscription/sotw.ts";
import { Subscription } from "./subscription/subscription.ts";
import { clusterReferrers, clusterType, endpointType, listenerType } from "./type-urls.ts";
import { Warming, type WarmingRules } from "./warming.ts";
import { encodeDelta, encodeSotw } from "./wire/encode.ts";
import type { DeltaRequest, SotwRequest } from "./wire/request.ts";

/** What all connections of a server share. */
export interface ConnectionContext<C extends Client> {
  readonly source: ResourceSource<C>;
  readonly nameSets: NameSets;
  readonly clock: Clock;
  readonly observer: StreamObserver<C>;
  readonly warmingRules: WarmingRules;
  /** How long a missing acknowledgement holds up what comes after it. */
  readonly ackTimeoutMs: number;
}

/** One type on one stream. */
interface Watch {
  readonly subscription: Subscription;
  lease: Lease;
  /** Why the next response goes out; empty when only the client's own request does. */
  readonly causes: Set<string>;
  cancelTimeout: Cancel;
}

/** More than this in the socket's queue, and the stream is left alone until it has been flushed. */
const busyBytes = 64 * 1024;

/** One stream: takes requests, and sends what is due whenever something changed. */
export class Connection<C extends Client> {
  readonly id: string;
  readonly client: C;
  readonly mode: "sotw" | "delta";
  readonly #stream: GrpcStream;
  readonly #context: ConnectionContext<C>;
  readonly #watches = new Map<string, Watch>();
  readonly #warming: Warming;
  #nonce = 0;
  /** Since when a push has been waiting to leave completely. */
  #pushStartedAt: number | undefined;
  /** Until then a client that came back is expected to ask for the rest of what it holds; nothing is taken away. */
  #graceUntil = 0;
  #cancelGrace: Cancel = () => undefined;

  constructor(id: string, client: C, mode: "sotw" | "delta", stream: GrpcStream, context: ConnectionContext<C>) {
    this.id = id;
    this.client = client;
    this.mode = mode;
    this.#stream = stream;
    this.#context = context;
    this.#warming = new Warming(context.warmingRules);
  }

  /** Streams of one class are served one after the other: their bytes are the same. */
  get classId(): string {
    return Array.from(this.#watches.values(), (watch) => watch.lease.id).join("\n");
  }

  get subscriptions(): readonly Subscription[] {
    return Array.from(this.#watches.values(), (watch) => watch.subscription);
  }

  get closed(): boolean {
    return this.#stream.closed;
  }

  receiveSotw(request: SotwRequest): void {
    const { nameSets, warmingRules } = this.#context;
    const answerRepeats = request.typeUrl === endpointType && warmingRules.repeatedRequestIsQuestion;
    this.#receive(request.typeUrl, (subscription, first) =>
      receiveSotw(subscription, request, { first, nameSets, answerRepeats }),
    );
  }

  receiveDelta(request: DeltaRequest): void {
    const { nameSets } = this.#context;
    if (request.typeUrl === clusterType && !this.#watches.has(clusterType) && request.held.size > 0) this.#grantGrace();
    this.#receive(request.typeUrl, (subscription, first) => receiveDelta(subscription, request, { first, nameSets }));
  }

  /** Something newer was published. */
  push({ reasons, startedAt }: Push): void {
    if (this.closed) return;
    this.#guarded(() => {
      this.#pushStartedAt ??= startedAt;
      for (const watch of this.#watches.values()) {
        for (const reason of reasons.keys()) watch.causes.add(reason);
        this.#renewLease(watch);
        if (watch.subscription.blocked && this.#due(watch)) this.#context.observer.delayed(name(watch));
      }
      this.pump();
    });
  }

  /**
   * Sends what is due and need not wait, type by type. The only place that sends; called whenever a request, a push, an acknowledgement, a flush or a time-out may have made something due.
   */
  pump(): void {
    if (this.closed) return;
    let waiting = false;
    for (const { typeUrl } of this.#context.source.types) {
      const watch = this.#watches.get(typeUrl);
      if (watch === undefined) continue;
      const due = this.#due(watch);
      if (due === undefined) watch.causes.clear();
      else if (this.#mustWait(watch)) waiting = true;
      else this.#send(watch, due);
    }
    if (!waiting) this.#converged();
  }

  close(): void {
    this.#cancelGrace();
    for (const watch of this.#watches.values()) this.#end(watch);
    this.#watches.clear();
  }

  #receive(typeUrl: string, apply: (subscription: Subscription, first: boolean) => Outcome): void {
    const type = this.#context.source.types.find((each) => each.typeUrl === typeUrl);
    if (type === undefined) return;
    const known = this.#watches.get(typeUrl);
    const subscription = known?.subscription ?? new Subscription(type, this.mode);
    if (known === undefined && typeUrl === endpointType) {
      const clustersAsked = this.#watches.has(clusterType);
      if (!clustersAsked) this.#grantGrace();
      this.#warming.endpointsAsked({ clustersAsked });
    }
    const { asked } = subscription;
    const outcome = apply(subscription, known === undefined);
    const watch = known ?? this.#watch(subscription);
    this.#watches.set(typeUrl, watch);
    if (known !== undefined && subscription.asked !== asked) this.#renewLease(watch);
    const { observer } = this.#context;
    if (outcome.type === "unsubscribed") this.#forget(watch);
    if (outcome.type === "nack") observer.rejected(type.shortName, this.client.nodeId, outcome.reason);
    if (outcome.type === "stale") observer.staleNonce(type.shortName);
    if (subscription.inFlight === undefined) watch.cancelTimeout();
    this.pump();
  }

  #grantGrace(): void {
    const { clock, ackTimeoutMs } = this.#context;
    this.#graceUntil = clock.now() + ackTimeoutMs;
    this.#cancelGrace();
    this.#cancelGrace = clock.after(ackTimeoutMs, () => this.#guarded(() => this.pump()));
  }

  #watch(subscription: Subscription): Watch {
    return { subscription, lease: this.#lease(subscription), causes: new Set(), cancelTimeout: () => undefined };
  }

  #renewLease(watch: Watch): void {
    const lease = this.#lease(watch.subscription);
    watch.lease.end();
    watch.lease = lease;
  }

  #lease({ type, asked }: Subscription): Lease {
    return this.#context.source.lease(type, this.client, asked);
  }

  #due(watch: Watch): Answer | undefined {
    const { target } = watch.lease;
    const { subscription } = watch;
    if (target === undefined) return undefined;
    const { typeUrl } = subscription.type;
    const mustResend = typeUrl === endpointType ? this.#warming.mustResend : undefined;
    return subscription.due(target, { mayRemove: () => this.#mayRemove(typeUrl), ...(mustResend && { mustResend }) });
  }

  /**
   * Removals go from the top down: listeners and routes first, then the clusters they named, then the endpoints of
   * those. Each step waits until the one before has been accepted.
   */
  #mayRemove(typeUrl: string): boolean {
    if (typeUrl === clusterType) return this.#nothingRefersToOldClusters();
    if (typeUrl !== endpointType) return true;
    const clusters = this.#watches.get(clusterType);
    if (clusters === undefined) return this.#context.clock.now() >= this.#graceUntil;
    return this.#nothingRefersToOldClusters() && this.#settled(clusters);
  }

  #nothingRefersToOldClusters(): boolean {
    return clusterReferrers.every((typeUrl) => {
      const watch = this.#watches.get(typeUrl);
      if (watch !== undefined) return this.#settled(watch);
      return typeUrl !== listenerType || this.#context.clock.now() >= this.#graceUntil;
    });
  }

  /** The client has accepted everything of this type that there is; nothing can be said of a type that failed. */
  #settled({ lease, subscription }: Watch): boolean {
    return lease.target === undefined || subscription.settled(lease.target);
  }

  #mustWait({ subscription }: Watch): boolean {
    if (subscription.blocked || this.#stream.queued > busyBytes) return true;
    const clusters = this.#watches.get(clusterType)?.subscription;
    if (clusters?.blocked !== true) return false;
    // New routes and listeners wait until the clusters they name are warm; endpoints are what makes them warm.
    const { typeUrl } = subscription.type;
    if (typeUrl === endpointType) return !this.#context.warmingRules.endpointsOvertakeAcks;
    return clusterReferrers.includes(typeUrl);
  }

  #send(watch: Watch, answer: Answer): void {
    const { clock, observer } = this.#context;
    const { subscription, causes } = watch;
    const { typeUrl } = subscription.type;
    const nonce = String(++this.#nonce);
    const encode = this.mode === "sotw" ? encodeSotw : encodeDelta;
    const response = encode(typeUrl, nonce, answer);
    subscription.sendAs(nonce, answer);
    watch.cancelTimeout();
    watch.cancelTimeout = clock.after(this.#context.ackTimeoutMs, () => this.#guarded(() => this.#overdue(watch)));
    if (typeUrl === clusterType) {
      this.#warming.clustersSent(answer, this.#watches.get(endpointType)?.subscription);
    }
    observer.responseSent({
      type: name(watch),
      node: this.client.nodeId,
      resources: response.resources,
      removed: answer.removed.length,
      bytes: response.bytes,
      cause: causes.size === 0 ? ["request"] : [...causes],
    });
    causes.clear();
    // Last: the answer to it may arrive before this call returns.
    this.#stream.send(response.prefix, response.segments);
  }

  /** Envoy withholds the acknowledgement while clusters warm: repeat their endpoints before anything else. */
  #overdue(watch: Watch): void {
    const { inFlight, type } = watch.subscription;
    if (inFlight === undefined || this.closed) return;
    this.#context.observer.ackOverdue(type.shortName, this.client.nodeId);
    watch.subscription.expire();
    if (type.typeUrl === clusterType) {
      this.#warming.clustersOverdue(inFlight.answer, this.#watches.get(endpointType)?.subscription);
    }
    this.pump();
  }

  /** A bug in serving one proxy ends its stream, which it will open again, and nothing else. */
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
    this.#end(watch);
    this.#watches.delete(watch.subscription.type.typeUrl);
  }

  #end(watch: Watch): void {
    watch.cancelTimeout();
    watch.lease.end();
  }
}

function name(watch: Watch): string {
  return watch.subscription.type.shortName;
}
