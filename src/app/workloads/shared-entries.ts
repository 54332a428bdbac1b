import type { Config } from "../../config/config.ts";
import { workloadEntry } from "../../config/kinds/workload-entry.ts";
import type { WorkloadHealth } from "../../config/mesh/workload-health.ts";
import { objectKey } from "../../galley/source/etcd/object-key.ts";
import type { Source, SourceHandler } from "../../galley/source/source.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { EntryChange } from "../../pilot/xds/workloads/workload-store.ts";
import type { EtcdPlace } from "../sources/etcd.ts";
import { LeasedKeys } from "../store/leased-keys.ts";

/** Keeps the WorkloadEntries of registered machines. */
export interface EntryKeeper {
  readonly source: Source;
  /** `text` is the object as text, `config` is its parsed form. */
  put(config: Config, text: string, change: EntryChange): void;
  /** Keeps the health of the machine of an entry that a person wrote. Absent where such entries cannot be written to. */
  report?(namespace: string, name: string, health: WorkloadHealth, change: EntryChange): void;
  remove(namespace: string, name: string): void;
}

export interface SharedEntriesOptions {
  readonly name: string;
  readonly place: EtcdPlace;
  readonly clock: Clock;
  /** Time that entries outlive their server, unless their machines connect to another one. */
  readonly ttlMs: number;
}

/**
 * WorkloadEntries of registered machines in etcd, next to the other objects of the mesh. Every server reads them there,
 * including this one. As a source, it only reports whether writes succeed. An entry ends with the lease of the server
 * that its machine is connected to.
 */
export class SharedEntries implements EntryKeeper, Source {
  readonly name: string;
  readonly collections: readonly string[] = [];
  readonly #options: SharedEntriesOptions;
  #keys: LeasedKeys | undefined;

  constructor(options: SharedEntriesOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get source(): Source {
    return this;
  }

  start(handler: SourceHandler): Promise<void> {
    const { place: access, clock, ttlMs } = this.#options;
    let stale = false;
    const onTrouble = (reason: string | undefined) => {
      if (reason !== undefined) handler([{ type: "stale", reason: `cannot write to etcd: ${reason}` }]);
      else if (stale) handler([{ type: "fresh" }]);
      stale = reason !== undefined;
    };
    this.#keys ??= new LeasedKeys({ access, clock, ttlMs, onTrouble });
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    const keys = this.#keys;
    this.#keys = undefined;
    await keys?.close();
  }

  async idle(): Promise<void> {
    await this.#keys?.idle();
  }

  put({ namespace, name }: Config, text: string): void {
    this.#keys?.put(this.#keyOf(namespace, name), text);
  }

  remove(namespace: string, name: string): void {
    this.#keys?.remove(this.#keyOf(namespace, name));
  }

  #keyOf(namespace: string, name: string): string {
    return objectKey(this.#options.place.prefix, { ...workloadEntry, namespace, name });
  }
}
