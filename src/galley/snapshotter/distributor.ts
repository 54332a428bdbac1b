import type { Snapshot } from "./snapshot.ts";

/** Where snapshots go: the local link, the MCP cache, a recorder in tests. */
export interface Distributor {
  distribute(snapshot: Snapshot): void;
}

/** Hands each snapshot to all. One that throws does not keep it from the others; its error is thrown afterwards. */
export function both(distributors: readonly Distributor[]): Distributor {
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
      if (failures.length > 0) throw new AggregateError(failures, `${snapshot.group} did not reach everyone`);
    },
  };
}
