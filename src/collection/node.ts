import type { Outcome, Upstream } from "./cell.ts";
import type { Problem } from "./collection.ts";

/** What the graph asks of each of its nodes, whatever they compute. */
export interface Node {
  readonly kind: "input" | "derived" | "group" | "union";
  readonly output: Output;
  readonly inputs: readonly Upstream<unknown>[];
  readonly reads: readonly Upstream<unknown>[];
  /** The inputs whose function threw, by their keys. */
  readonly problems: ReadonlyMap<string, Problem>;
  /** Brings the output up to date with what changed upstream. Everything upstream has been settled. */
  settle(): void;
  /**
   * Brings the output up to date with everything upstream, whatever the node remembers of earlier settles. Called
   * instead of `settle` when a settle has thrown: what the node remembers may be half-made then.
   */
  rebuild(): void;
}

interface Output extends Upstream<unknown> {
  /** The keys whose values could not be compared. */
  readonly problems: ReadonlyMap<string, Problem>;
  takeOutcome(): Outcome<unknown>;
  revert(): void;
}
