import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { ConvergenceLog, type Convergence } from "./convergence-log.ts";
import { type Bar, histogramOf } from "./histogram.ts";
import { type Quantiles, quantilesOf } from "./quantiles.ts";
import type { PooledResource } from "./resource-pool.ts";
import { perType, type FleetResourceType } from "./fleet-resource-type.ts";
import type { DiscoveryResponse } from "./response.ts";

const turnedAway = `grpc-status ${GrpcStatus.RESOURCE_EXHAUSTED}`;

/** The counts of one type. */
export interface TypeCounts {
  readonly responses: number;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Responses with nothing new that no request caused. */
  readonly needless: number;
}

/** The counts of a fleet so far. Times are in milliseconds. */
export interface FleetCounts {
  readonly types: Readonly<Record<FleetResourceType, TypeCounts>>;
  /** From opening a connection to holding everything. */
  readonly firstSyncMs: Quantiles;
  /** The distribution of the same times. */
  readonly firstSyncBars: readonly Bar[];
  readonly resumeMs: Quantiles;
  /** The new versions that the fleet has seen, the most recent last. */
  readonly changes: readonly Convergence[];
  /** Streams that a busy server refused with a retry hint. */
  readonly turnedAway: number;
  /** How other streams ended that the fleet did not end itself. */
  readonly lost: Readonly<Record<string, number>>;
  /** How often a reference was unresolved for a while. */
  readonly broken: number;
  /** A sample of the problems, as texts. */
  readonly remarks: readonly string[];
}

const countNames = ["responses", "resources", "removed", "bytes", "accepted", "rejected", "needless"] as const;

function noCounts(): Record<(typeof countNames)[number], number> {
  return { responses: 0, resources: 0, removed: 0, bytes: 0, accepted: 0, rejected: 0, needless: 0 };
}

/** The limit of remarks per kind. Enough to see the problem. */
const maxRemarks = 10;

/** Counts and times of a whole fleet. */
export class Tally {
  readonly #types = perType(noCounts);
  readonly #syncs: Record<"first" | "resumed", number[]> = { first: [], resumed: [] };
  readonly #changes = new ConvergenceLog();
  readonly #lost = new Map<string, number>();
  readonly #remarks: Record<"broken" | "needless", string[]> = { broken: [], needless: [] };
  #broken = 0;
  #turnedAway = 0;
  /** When the last message arrived. */
  lastAt = 0;

  received({ type, resources, removed, bytes }: DiscoveryResponse, now: number): void {
    this.lastAt = now;
    this.#count(type, { responses: 1, resources: resources.length, removed: removed.length, bytes });
  }

  accepted({ type }: DiscoveryResponse): void {
    this.#count(type, { accepted: 1 });
  }

  rejected({ type }: DiscoveryResponse): void {
    this.#count(type, { rejected: 1 });
  }

  needless({ type, nonce }: DiscoveryResponse, proxy: string): void {
    this.#count(type, { needless: 1 });
    this.#remark("needless", `${proxy}: ${type} response ${nonce} brought nothing new`);
  }

  broken(sentence: string, proxy: string): void {
    this.#broken++;
    this.#remark("broken", `${proxy}: ${sentence}`);
  }

  lost(reason: string): void {
    if (reason === turnedAway) this.#turnedAway++;
    else this.#lost.set(reason, (this.#lost.get(reason) ?? 0) + 1);
  }

  changed(resource: PooledResource, now: number): void {
    this.#changes.note(resource, now);
  }

  synced(occasion: "first" | "resumed", ms: number): void {
    this.#syncs[occasion].push(ms);
  }

  get counts(): FleetCounts {
    return {
      types: perType((type) => ({ ...this.#types[type] })),
      firstSyncMs: quantilesOf(this.#syncs.first),
      firstSyncBars: histogramOf(this.#syncs.first),
      resumeMs: quantilesOf(this.#syncs.resumed),
      changes: this.#changes.convergence,
      turnedAway: this.#turnedAway,
      lost: Object.fromEntries(this.#lost),
      broken: this.#broken,
      remarks: [...this.#remarks.broken, ...this.#remarks.needless],
    };
  }

  #count(type: FleetResourceType, more: Partial<TypeCounts>): void {
    const counts = this.#types[type];
    for (const key of countNames) counts[key] += more[key] ?? 0;
  }

  #remark(kind: "broken" | "needless", sentence: string): void {
    if (this.#remarks[kind].length < maxRemarks) this.#remarks[kind].push(sentence);
  }
}
