import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { clusterReferrers, clusterType, endpointType, listenerType } from "../type-urls.ts";
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
  #graceUntil = 0;
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
    this.#graceUntil = clock.now() + ackTimeoutMs;
    this.#cancelGrace();
    this.#cancelGrace = clock.after(ackTimeoutMs, this.#onGraceOver);
  }

  end(): void {
    this.#cancelGrace();
  }

  /**
   * Removals go top down: first listeners and routes, then clusters, then endpoints. Each step waits until the client
   * accepted the step before.
   */
  mayRemove(typeUrl: string): boolean {
    if (typeUrl === clusterType) return this.#nothingRefersToOldClusters();
    if (typeUrl !== endpointType) return true;
    const clusters = this.#watches.get(clusterType);
    if (clusters === undefined) return this.#graceIsOver;
    return this.#nothingRefersToOldClusters() && clusters.settled;
  }

  /**
   * New routes and listeners wait until the clusters they name are warm. Endpoints never wait, because clusters need
   * them for warming.
   */
  mustWait(typeUrl: string): boolean {
    if (this.#watches.get(clusterType)?.subscription.awaitsAck !== true) return false;
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
