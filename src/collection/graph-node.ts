import type { SettledChanges, Upstream } from "./cell.ts";
import type { Problem } from "./collection.ts";

/**
 * The interface between the graph and each of its nodes. A node writes only to its own output, each key at most once per
 * settle. It throws only for a bug of its own: errors of users' functions become problems.
 */
export interface GraphNode {
  readonly kind: "input" | "derived" | "group" | "union";
  readonly output: Output;
  readonly inputs: readonly Upstream<unknown>[];
  readonly reads: readonly Upstream<unknown>[];
  /** The inputs whose function threw, by their keys. */
  readonly problems: ReadonlyMap<string, Problem>;
  /** Updates the output with the upstream changes. Everything upstream has already settled. */
  settle(): void;
  /**
   * Updates the output with everything upstream, and ignores state from earlier settles. The graph calls it instead of
   * `settle` after a settle has thrown, because that state may be incomplete.
   */
  rebuild(): void;
}

interface Output extends Upstream<unknown> {
  /** The keys whose values could not be compared. */
  readonly problems: ReadonlyMap<string, Problem>;
  takeChanges(): SettledChanges<unknown>;
  revert(): void;
}
