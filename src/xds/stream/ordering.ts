import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { clusterReferrers, clusterType, endpointType, listenerType, routeType, virtualHostType } from "../type-urls.ts";
import type { WarmingRules } from "./warming.ts";
import type { Watches } from "./watch.ts";

export interface OrderingOptions {
  readonly clock: Clock;
  readonly warmingRules: WarmingRules;
  /** How long a missing acknowledgement delays later responses. */
  readonly ackTimeoutMs: number;
}

/**
 * The send order on one stream: additions from clusters up to routes, removals from listeners down to endpoints.
 * Another order drops traffic:
 * https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#eventual-consistency-considerations
 */
export class Ordering {
  readonly #watches: Watches;
  readonly #options: OrderingOptions;
  readonly #onGraceOver: () => void;
  #isInGrace = false;
  #cancelGrace: Cancel = () => undefined;

  constructor(watches: Watches, options: OrderingOptions, onGraceOver: () => void) {
    this.#watches = watches;
    this.#options = options;
    this.#onGraceOver = onGraceOver;
  }

  /**
   * A reconnecting client requests its types one after the other. For a while the server removes nothing that a type
   * not yet requested may refer to.
   */
  grantGrace(): void {
    const { clock, ackTimeoutMs } = this.#options;
    this.#isInGrace = true;
    this.#cancelGrace();
    this.#cancelGrace = clock.after(ackTimeoutMs, () => this.#endGrace());
  }

  /** A client that has not answered may be about to request its other types: the grace begins again. */
  #endGrace(): void {
    const owesAnswer = this.#watches.values().some(({ subscription: { inFlight, type } }) => {
      return inFlight !== undefined && type.neverAcknowledged !== true;
    });
    if (owesAnswer) return this.grantGrace();
    this.#isInGrace = false;
    this.#onGraceOver();
  }

  end(): void {
    this.#cancelGrace();
  }

  /**
   * Removals go top down: first listeners and routes, then clusters, then endpoints. Each step waits until the client
   * accepted the step before.
   */
  mayRemove(typeUrl: string): boolean {
    // A reconnecting client holds virtual hosts of routes that it has not requested so far.
    if (typeUrl === virtualHostType) return this.#watches.has(routeType) || !this.#isInGrace;
    if (typeUrl === clusterType) return this.#nothingRefersToOldClusters();
    if (typeUrl !== endpointType) return true;
    const clusters = this.#watches.get(clusterType);
    if (clusters === undefined) return !this.#isInGrace;
    return this.#nothingRefersToOldClusters() && clusters.settled;
  }

  /**
   * New routes and listeners wait until the clusters they name are warm. Endpoints never wait, because clusters need
   * them for warming. Virtual hosts wait until their route configurations have left.
   */
  mustWait(typeUrl: string): boolean {
    if (typeUrl === virtualHostType && this.#options.warmingRules.hostsWaitForRoutes && this.#routesAreDue())
      return true;
    if (this.#watches.get(clusterType)?.subscription.awaitsAck !== true) return false;
    if (typeUrl === endpointType) return !this.#options.warmingRules.endpointsOvertakeAcks;
    return clusterReferrers.includes(typeUrl);
  }

  /** A client that unsubscribed from all routes gets none: then nothing is due, and its virtual hosts may go. */
  #routesAreDue(): boolean {
    const routes = this.#watches.get(routeType);
    return routes === undefined ? this.#isInGrace : routes.isDue;
  }

  #nothingRefersToOldClusters(): boolean {
    return clusterReferrers.every((typeUrl) => {
      const watch = this.#watches.get(typeUrl);
      if (watch !== undefined) return watch.settled;
      return typeUrl !== listenerType || !this.#isInGrace;
    });
  }
}
