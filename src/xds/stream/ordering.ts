import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { clusterReferrers, clusterType, endpointType, listenerType } from "../type-urls.ts";
import type { WarmingRules } from "./warming.ts";
import type { Watches } from "./watch.ts";

export interface OrderingOptions {
  readonly clock: Clock;
  readonly warmingRules: WarmingRules;
  /** How long a missing acknowledgement holds up what comes after it. */
  readonly ackTimeoutMs: number;
}

/**
 * What may leave on one stream before what: additions from the bottom up, removals from the top down. Without it traffic
 * is dropped: https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#eventual-consistency-considerations
 */
export class Ordering {
  readonly #watches: Watches;
  readonly #options: OrderingOptions;
  readonly #onGraceOver: () => void;
  #graceUntil = 0;
  #cancelGrace: Cancel = () => undefined;

  constructor(watches: Watches, options: OrderingOptions, onGraceOver: () => void) {
    this.#watches = watches;
    this.#options = options;
    this.#onGraceOver = onGraceOver;
  }

  /**
   * A client that came back asks for one type after the other. For a while nothing is taken away that a type it has not
   * asked for yet may refer to.
   */
  grantGrace(): void {
    const { clock, ackTimeoutMs } = this.#options;
    this.#graceUntil = clock.now() + ackTimeoutMs;
    this.#cancelGrace();
    this.#cancelGrace = clock.after(ackTimeoutMs, this.#onGraceOver);
  }

  end(): void {
    this.#cancelGrace();
  }

  /**
   * Removals go from the top down: listeners and routes first, then the clusters they named, then the endpoints of
   * those. Each step waits until the one before has been accepted.
   */
  mayRemove(typeUrl: string): boolean {
    if (typeUrl === clusterType) return this.#nothingRefersToOldClusters();
    if (typeUrl !== endpointType) return true;
    const clusters = this.#watches.get(clusterType);
    if (clusters === undefined) return this.#graceIsOver;
    return this.#nothingRefersToOldClusters() && clusters.settled;
  }

  /** New routes and listeners wait until the clusters they name are warm; endpoints are what makes them warm. */
  mustWait(typeUrl: string): boolean {
    if (this.#watches.get(clusterType)?.subscription.blocked !== true) return false;
    if (typeUrl === endpointType) return !this.#options.warmingRules.endpointsOvertakeAcks;
    return clusterReferrers.includes(typeUrl);
  }

  #nothingRefersToOldClusters(): boolean {
    return clusterReferrers.every((typeUrl) => {
      const watch = this.#watches.get(typeUrl);
      if (watch !== undefined) return watch.settled;
      return typeUrl !== listenerType || this.#graceIsOver;
    });
  }

  get #graceIsOver(): boolean {
    return this.#options.clock.now() >= this.#graceUntil;
  }
}
