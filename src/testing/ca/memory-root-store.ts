import type { RootStore, StoredRoots } from "../../ca/root-store.ts";
import type { Roots } from "../../ca/roots.ts";

/** A store that several replicas in one process share. */
export class MemoryRootStore implements RootStore {
  readonly #watchers = new Set<() => void>();
  #revision = 0;
  stored: StoredRoots | undefined;
  /** Called after each reading, before its caller has the answer: another replica can be faster then. */
  onRead: () => void = () => undefined;
  reads = 0;
  /** Every call fails with it. */
  failure: Error | undefined;

  async read(): Promise<StoredRoots | undefined> {
    if (this.failure !== undefined) throw this.failure;
    const { stored } = this;
    this.reads += 1;
    this.onRead();
    return stored;
  }

  async replace(previous: string | undefined, next: Roots): Promise<StoredRoots> {
    if (this.failure !== undefined) throw this.failure;
    if (this.stored !== undefined && this.stored.revision !== previous) return this.stored;
    this.#revision += 1;
    this.stored = { content: next, revision: `${this.#revision}` };
    for (const changed of this.#watchers) changed();
    return this.stored;
  }

  watch(onChange: () => void): { stop(): void } {
    this.#watchers.add(onChange);
    return { stop: () => this.#watchers.delete(onChange) };
  }
}
