import type { ConfigId } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";

/** The subject of a conflict between objects. */
export type ConflictType =
  /** Several services of one workload use the same workload port. */
  | "inbound-listener"
  /** Several services need an outbound listener on the same address and port. */
  | "outbound-listener"
  /** Servers of several gateways claim the same port of a router. */
  | "gateway-server"
  /**
   * Servers or virtual services of a gateway match the same connections, so that filter chains cannot separate them.
   */
  | "gateway-chain"
  /** Several virtual services have routes for the same host. */
  | "virtual-host"
  /** Several virtual hosts claim the same domain. */
  | "domain"
  /** Several namespaces declare the same hostname. */
  | "service"
  /** Several destination rules of a host define the same subset name differently. */
  | "subset"
  /** A proxy cannot run an extension, so another filter takes its place. */
  | "extension"
  /** A proxy lacks the filter that a Telemetry object configures. */
  | "telemetry"
  /** A proxy cannot call an extension provider that its policies use. */
  | "provider"
  /** A gRPC server without a proxy cannot enforce a policy. */
  | "proxyless";

/** Several objects claim the same thing and one of them gets it. The others are ignored there, wholly or in part. */
export interface Conflict {
  readonly type: ConflictType;
  /** The thing that the objects claim: the name of a listener, a host, … */
  readonly about: string;
  /** Undefined when the winner is the mesh itself and not a user's object. */
  readonly winner: ConfigId | undefined;
  readonly losers: readonly ConfigId[];
  /** The rule that decided, in words for users: "the older one wins". */
  readonly reason: string;
}

/** Merges equal conflicts into one that lists all losers. The result does not depend on the input order. */
export function mergeConflicts(conflicts: Iterable<Conflict>): readonly Conflict[] {
  const merged = new Map<string, { readonly conflict: Conflict; readonly losers: Set<ConfigId> }>();
  for (const conflict of conflicts) {
    const key = conflictKey(conflict);
    const known = merged.get(key) ?? { conflict, losers: new Set() };
    merged.set(key, known);
    for (const loser of conflict.losers) known.losers.add(loser);
  }
  const inOrder = [...merged].toSorted(([a], [b]) => compareTexts(a, b));
  return inOrder.map(([, { conflict, losers }]) => ({ ...conflict, losers: [...losers].toSorted(compareTexts) }));
}

function conflictKey({ type, about, winner, reason }: Conflict): string {
  return JSON.stringify([type, about, winner, reason]);
}
