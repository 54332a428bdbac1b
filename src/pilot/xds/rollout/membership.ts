import type { RolloutPlan, Wave } from "../../../config/rollout/rollout-plan.ts";
import { hash64 } from "../../../lib/hash.ts";
import { ownValue } from "../../../lib/own-value.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";

/** The facts of a proxy that decide about its wave. */
export type WaveClient = Pick<Proxy, "nodeId" | "labels" | "locality">;

/** The proxies that have the change after some waves. */
export interface Reached {
  readonly plan: RolloutPlan;
  /** Waves so far; 0 for none. */
  readonly wave: number;
  /** The nodes that waves of a number of proxies chose. */
  readonly chosen: ReadonlySet<string>;
}

const parts = 2n ** 64n;

/**
 * The place of a node in the order of proxies, from 0 to below 1. It follows from the node alone, so it is equal on all
 * replicas, and proxies that come and go do not move the others.
 */
export function placeOf(nodeId: string): number {
  return Number((hash64(nodeId) * 1_000_000_000n) / parts) / 1_000_000_000;
}

export function isReached({ plan, wave, chosen }: Reached, client: WaveClient): boolean {
  return plan.waves.slice(0, wave).some((each) => isOf(each, client, chosen));
}

function isOf(wave: Wave, { nodeId, labels, locality }: WaveClient, chosen: ReadonlySet<string>): boolean {
  switch (wave.type) {
    case "count":
      return chosen.has(nodeId);
    case "share":
      return placeOf(nodeId) * 100 < wave.percent;
    case "label":
      return ownValue(labels, wave.key) === wave.value;
    case "zone":
      return locality.zone === wave.zone;
    default:
      return wave satisfies never;
  }
}
