import type { Config } from "../../config/config.ts";
import type { Kind } from "../../config/kind.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { configMap } from "../../config/kinds/secret.ts";
import { kinds } from "../../config/kinds.ts";
import { parseMeshConfig } from "../../config/parse/mesh-files.ts";
import { readObject } from "../../galley/source/kube/read-object.ts";
import { ServedKinds } from "../../galley/source/kube/served-kinds.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import { KubeClient } from "../../kube/kube-client.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeObject } from "../../kube/kube-object.ts";
import { listPages } from "../../kube/list.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { isInClusters } from "../kube/is-in-clusters.ts";
import { systemClock } from "../process/system-clock.ts";

/** A cluster as it was when it was read. */
export interface ReadCluster {
  readonly source: MemorySource;
  /** The kinds that we were not allowed to read: of their objects nothing is known. */
  readonly forbidden: readonly Kind[];
}

const pageSize = 500;

/** Maximum time that a command waits. */
const patienceMs = 60_000;

/** Whether an input of a command is a cluster: `kube:`, or `kube:CONTEXT`. */
export function isClusterUrl(input: unknown): input is string {
  return typeof input === "string" && input.startsWith("kube:");
}

/**
 * Reads everything once, including Secrets and invalid objects. Reads the MeshConfig from the place where Istio keeps
 * it. Throws `source-unavailable`.
 */
export async function readCluster(url: string, kubeconfig: string | undefined): Promise<ReadCluster> {
  const context = url.slice("kube:".length) || undefined;
  const source = new MemorySource({ name: url, collections: kinds.map(({ collection }) => collection) });
  const forbidden: Kind[] = [];
  try {
    using client = new KubeClient({ kubeconfig, context }, systemClock);
    const served = new ServedKinds(client, systemClock, kinds);
    const signal = AbortSignal.timeout(patienceMs);
    for (const kind of kinds.filter(isInClusters)) {
      const root = await served.find(kind);
      if (root === undefined) continue;
      if (!(await readKind(client, { kind, path: `${root}/${kind.plural}`, signal }, source))) forbidden.push(kind);
    }
  } catch (cause) {
    throw new MeshError("source-unavailable", `${url}: ${errorFrom(cause).message}`, { cause });
  }
  return { source, forbidden };
}

interface Listing {
  readonly kind: Kind;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** False when we may not. */
async function readKind(client: KubeClient, listing: Listing, source: MemorySource): Promise<boolean> {
  const { kind } = listing;
  try {
    for await (const { items } of listPages(client, listing, pageSize)) {
      for (const object of items) take(object, kind, source);
    }
    return true;
  } catch (thrown) {
    if (thrown instanceof KubeError && thrown.code === 403) return false;
    throw thrown;
  }
}

function take(object: KubeObject, kind: Kind, source: MemorySource): void {
  const { config, issues } = readObject(object, { kind, source: source.name, keepInvalid: true });
  if (config !== undefined) source.set(kind.collection, config);
  if (issues.length > 0) source.report(`${kind.kind} ${object.metadata.namespace}/${object.metadata.name}`, issues);
  const mesh = kind.collection === configMap.collection ? meshConfigIn(object, source.name) : undefined;
  if (mesh !== undefined) source.set(meshConfig.collection, mesh);
}

/** Istio keeps its MeshConfig as a text in a ConfigMap. */
function meshConfigIn({ metadata, data }: KubeObject, source: string): Config | undefined {
  const { namespace, name } = metadata;
  if (namespace !== "istio-system" || name !== "istio" || !isMapping(data)) return undefined;
  const { mesh } = data;
  if (typeof mesh !== "string") return undefined;
  return parseMeshConfig({ text: mesh, file: `configmaps/${namespace}/${name}`, source }).config;
}
