import type { Roots } from "./roots.ts";

export interface StoredRoots {
  readonly roots: Roots;
  /** Changes with every replacement. */
  readonly revision: string;
}

/** The place of the roots that replicas share. */
export interface RootStore {
  /** The stored roots; undefined if nothing is stored yet. Rejects if the store cannot be read. */
  read(): Promise<StoredRoots | undefined>;
  /**
   * Replaces the stored roots only if their revision is still `previous`; undefined means that nothing is stored.
   * Resolves with the roots that are stored afterwards: `next`, or those of a replica that was faster.
   */
  replace(previous: string | undefined, next: Roots): Promise<StoredRoots>;
  /** Calls back after each change, until it is stopped. It goes on after an error. */
  watch(onChange: (stored: StoredRoots) => void, onError: (error: unknown) => void): { stop(): void };
  /** Releases its connections. */
  close?(): Promise<void>;
}
