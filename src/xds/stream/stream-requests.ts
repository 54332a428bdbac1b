import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import type { Client } from "../resource-source.ts";
import type { ResourceType } from "../resource-type.ts";
import { receiveDelta } from "../subscription/delta.ts";
import type { RequestResult } from "../subscription/request-context.ts";
import { receiveSotw } from "../subscription/sotw.ts";
import { Subscription } from "../subscription/subscription.ts";
import { clusterType, endpointType } from "../type-urls.ts";
import type { DeltaRequest, SotwRequest } from "../wire/request.ts";
import { readTypeUrl } from "../wire/v2.ts";
import { xdsLimits } from "../xds-limits.ts";
import type { StreamState } from "./stream-state.ts";
import { Watch } from "./watch.ts";

/** Applies the requests of one client to its subscriptions. It sends nothing. */
export class StreamRequests<C extends Client> {
  readonly #state: StreamState<C>;
  /** Types that the client unsubscribed from. An empty list no longer subscribes such a type to everything. */
  readonly #left = new Set<string>();
  #resumed = false;

  constructor(state: StreamState<C>) {
    this.#state = state;
  }

  /** True if the client holds resources from an earlier stream. */
  get resumed(): boolean {
    return this.#resumed;
  }

  /** Returns undefined for a request that changes nothing, or that ends the stream. */
  receiveSotw(request: SotwRequest): RequestResult | undefined {
    const { nameSets, warmingRules } = this.#state.context;
    return this.#receive(request, (subscription, first) => {
      const answerRepeats = subscription.type.typeUrl === endpointType && warmingRules.repeatedRequestIsQuestion;
      return receiveSotw(subscription, request, { first, nameSets, answerRepeats });
    });
  }

  /** Like {@link receiveSotw}. */
  receiveDelta(request: DeltaRequest): RequestResult | undefined {
    const { nameSets } = this.#state.context;
    return this.#receive(request, (subscription, first) => receiveDelta(subscription, request, { first, nameSets }));
  }

  #receive(
    request: SotwRequest | DeltaRequest,
    apply: (subscription: Subscription, first: boolean) => RequestResult,
  ): RequestResult | undefined {
    const { client, context, stream, types, watches } = this.#state;
    const { typeUrl, dialect } = readTypeUrl(request.typeUrl);
    const type = types.find(typeUrl);
    if (type === undefined) {
      context.observer.unknownType(request.typeUrl, client.nodeId);
      return undefined;
    }
    const known = watches.get(typeUrl);
    if (known === undefined) this.#noteFirst(type, request);
    const subscription = known?.subscription ?? this.#subscribe(type, comesBack(request));
    const { asked } = subscription;
    const result = apply(subscription, known === undefined);
    const { most } = xdsLimits.names;
    if (subscription.names.size > most) {
      stream.end(GrpcStatus.RESOURCE_EXHAUSTED, `${type.shortName}: more than ${most} names at a time`);
      return undefined;
    }
    const leasedAt = context.clock.now();
    const watch = known ?? new Watch(subscription, dialect, this.#state.lease(subscription));
    watches.set(typeUrl, watch);
    if (known !== undefined && subscription.asked !== asked) watch.renew(this.#state.lease(subscription, watch.lease));
    watch.madeMs += context.clock.now() - leasedAt;
    this.#tell(result, watch, request.nonce);
    if (result.type === "unsubscribed" || (result.type === "nack" && result.left)) this.#forget(watch);
    if (subscription.inFlight === undefined) this.#release(watch);
    return result;
  }

  /**
   * The first request of a type. This stream has sent nothing that the client could reject: an error is about an earlier
   * stream. Envoy sends it with the first request if the old stream broke too early. The request still subscribes like
   * any first request.
   */
  #noteFirst({ shortName }: ResourceType, request: SotwRequest | DeltaRequest): void {
    const { client, context } = this.#state;
    if (request.error !== undefined) context.observer.rejected(shortName, client.nodeId, request.error);
    this.#resumed ||= comesBack(request);
  }

  #subscribe(type: ResourceType, isBack: boolean): Subscription {
    const { context, mode, ordering, warming, watches } = this.#state;
    const clustersAsked = watches.has(clusterType);
    if (type.typeUrl === endpointType) warming.endpointsAsked({ clustersAsked });
    const referredTo = type.typeUrl === clusterType || (type.typeUrl === endpointType && !clustersAsked);
    if (isBack && referredTo) ordering.grantGrace();
    const { flowControl = true } = context;
    const hasLeft = this.#left.has(type.typeUrl);
    return new Subscription(type, mode, { flowControl, ...(hasLeft && { legacyWildcard: false }) });
  }

  #tell(result: RequestResult, { subscription, pushes }: Watch, nonce: string): void {
    const { client, context, progress } = this.#state;
    const { observer } = context;
    const { shortName } = subscription.type;
    if (result.type === "stale") return observer.staleNonce(shortName);
    const answered = pushes.take(nonce, result.type === "nack" ? "nack" : "ack");
    if (subscription.error === undefined) pushes.complete();
    if (result.type !== "nack") return;
    progress.rejected(answered);
    observer.rejected(shortName, client.nodeId, result.reason, subscription, answered);
  }

  #forget(watch: Watch): void {
    const { typeUrl } = watch.subscription.type;
    watch.end();
    this.#state.watches.delete(typeUrl);
    this.#left.add(typeUrl);
  }

  /** Stops waiting for the acknowledgement. A change that was delayed may leave. */
  #release(watch: Watch): void {
    const { client, context } = this.#state;
    if (watch.delayed) context.observer.released(watch.subscription.type.shortName, client.nodeId);
    watch.stopWaiting();
  }
}

/** The first request of a type shows whether the client still holds resources from an earlier stream. */
function comesBack(request: SotwRequest | DeltaRequest): boolean {
  return "held" in request ? request.held.size > 0 : request.version !== "";
}
