import { configKey } from "../../config/config.ts";
import { workloadEntry } from "../../config/kinds/workload-entry.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Options } from "../options/options.ts";
import { etcdPlace } from "../sources/etcd.ts";
import { parseSourceUrl } from "../sources/source-url.ts";
import { type EntryKeeper, SharedEntries } from "./shared-entries.ts";

/** The name of the source of registered machines. */
const keeperName = "registration";

/** Keeps entries in etcd if the mesh has an etcd source, so that all servers see them; else in this process. */
export function entryKeeper(options: Pick<Options, "sources" | "workloadGraceMs">, clock: Clock): EntryKeeper {
  const shared = options.sources.map(parseSourceUrl).find(({ scheme }) => scheme === "etcd" || scheme === "etcds");
  if (shared === undefined) return inMemory();
  return new SharedEntries({ name: keeperName, place: etcdPlace(shared), clock, ttlMs: options.workloadGraceMs });
}

/** The entries end with the process, and return when the machines reconnect. */
function inMemory(): EntryKeeper {
  const { collection } = workloadEntry;
  const source = new MemorySource({ name: keeperName, collections: [collection] });
  return {
    source,
    put: (config) => source.set(collection, config),
    remove: (namespace, name) => source.delete(collection, configKey({ namespace, name })),
  };
}
