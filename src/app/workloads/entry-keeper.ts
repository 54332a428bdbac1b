import { randomUUID } from "node:crypto";
import { configKey } from "../../config/config.ts";
import { kinds } from "../../config/kinds.ts";
import { workloadEntry } from "../../config/kinds/workload-entry.ts";
import { ServedKinds } from "../../galley/source/kube/served-kinds.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Cluster, clusterOf } from "../kube/elected.ts";
import { kubeLease } from "../kube/lease/kube-lease.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { firstEtcd } from "../sources/etcd.ts";
import { parseSourceUrl, type SourceUrl } from "../sources/source-url.ts";
import { KubeEntries } from "./kube-entries.ts";
import { leasePrefix } from "./lost-replicas.ts";
import { type EntryKeeper, SharedEntries } from "./shared-entries.ts";

/** The name of the source of registered machines. */
const keeperName = "registration";

type KeeperContext = Pick<ProcessContext, "options" | "clock" | "supervisor">;

/**
 * Keeps entries in the first etcd of the mesh, else in its first Kubernetes cluster, so that all servers see them; else
 * in this process.
 */
export function entryKeeper(context: KeeperContext): EntryKeeper {
  const { options, clock } = context;
  const place = firstEtcd(options);
  if (place !== undefined) return new SharedEntries({ name: keeperName, place, clock, ttlMs: options.workloadGraceMs });
  const cluster = options.sources.map(parseSourceUrl).find(({ scheme }) => scheme === "kube");
  return cluster === undefined ? entriesInMemory() : (inCluster(context, cluster) ?? entriesInMemory());
}

/** The entries end with the process, and return when the machines reconnect. */
export function entriesInMemory(): EntryKeeper {
  const { collection } = workloadEntry;
  const source = new MemorySource({ name: keeperName, collections: [collection] });
  return {
    source,
    put: (config) => source.set(collection, config),
    remove: (namespace, name) => source.delete(collection, configKey({ namespace, name })),
  };
}

/**
 * The Lease of each process has its own name, so that a restarted server does not renew for its predecessor. Undefined
 * for an unusable kubeconfig: the source of the cluster says so.
 */
function inCluster(context: KeeperContext, { rest }: SourceUrl): EntryKeeper | undefined {
  const cluster = clusterIfUsable(context, rest || undefined);
  if (cluster === undefined) return undefined;
  const { client: calls, namespace } = cluster;
  const clock = context.supervisor.clockFor("registrations");
  const served = new ServedKinds(calls, clock, kinds);
  const name = `${leasePrefix}${randomUUID()}`;
  return new KubeEntries({
    name: keeperName,
    calls,
    closeCalls: () => calls[Symbol.dispose](),
    rootOf: () => served.find(workloadEntry),
    lease: { namespace, name, store: kubeLease(calls, { namespace, name }) },
    supervisor: context.supervisor,
    now: () => new Date(),
    ttlMs: context.options.workloadGraceMs,
  });
}

function clusterIfUsable(context: KeeperContext, name: string | undefined): Cluster | undefined {
  try {
    return clusterOf(context, { flag: "source", context: name });
  } catch (thrown) {
    if (thrown instanceof MeshError) return undefined;
    throw thrown;
  }
}
