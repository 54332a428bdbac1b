import type { ConfigId } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";

/** What objects can be at odds about. */
export type ConflictType =
  /** A port of a workload that several of its services are served on. */
  | "inbound-listener"
  /** An address and port that connections of several services leave by. */
  | "outbound-listener"
  /** A port of a router that servers of several gateways ask for. */
  | "gateway-server"
  /** Connections that servers or virtual services of a gateway ask for, and that cannot be told apart. */
  | "gateway-chain"
  /** A host that several virtual services have routes for. */
  | "virtual-host"
  /** A name that requests may arrive under, and that several virtual hosts answer to. */
  | "domain"
  /** A hostname that several namespaces declare. */
  | "service"
  /** A name that several destination rules give to different subsets of a host. */
  | "subset";

/** Something that several objects ask for and one of them gets. The others are left out there, wholly or in part. */
export interface Conflict {
  readonly type: ConflictType;
  /** What they ask for: the name of a listener, a host, … */
  readonly about: string;
  /** Undefined when it is nobody's object that has it, but the mesh itself. */
  readonly winner: ConfigId | undefined;
  readonly losers: readonly ConfigId[];
  /** The rule that decided, as people say it: "the older one wins". */
  readonly reason: string;
}

/** Each conflict once, with all who lose it, in an order that does not depend on how they were found. */
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
