import type { Snapshot } from "./snapshot.ts";

/** Where snapshots go: the local link, the MCP cache, a recorder in tests. */
export interface Distributor {
  distribute(snapshot: Snapshot): void;
}

/**
 * Sends each snapshot to all distributors. If one throws, the others still get the snapshot; the error is thrown
 * afterwards.
 */
export function distributeToAll(distributors: readonly Distributor[]): Distributor {
  return {
    distribute(snapshot) {
      const failures: unknown[] = [];
      for (const distributor of distributors) {
        try {
          distributor.distribute(snapshot);
        } catch (thrown) {
          failures.push(thrown);
        }
      }
      if (failures.length > 0)
        throw new AggregateError(failures, `the snapshot ${snapshot.group} did not reach every distributor`);
    },
  };
}
