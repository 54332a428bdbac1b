import type { RootStore } from "../../ca/root-store.ts";
import { decodeRoots, encodeRoots, type Roots } from "../../ca/roots.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { type Cluster, clusterOf } from "../kube/elected.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { EtcdDocumentStore, type TextFormat } from "../shared-document/etcd-document-store.ts";
import { type DataFormat, kubeDocumentStore } from "../shared-document/kube-document-store.ts";
import { type EtcdPlace, requireEtcd } from "../sources/etcd.ts";
import { rootsInSecret, secretOfRoots } from "./root-secret.ts";

/** A place where replicas share their roots. */
type SharedPlace = { readonly type: "etcd" } | { readonly type: "secret"; readonly name: string };

const asText: TextFormat<Roots> = { encode: (roots) => encodeRoots(roots).reveal(), decode: decodeRoots };

/** The type is that of istiod's Secret. */
const asSecret: DataFormat<Roots> = {
  kind: "Secret",
  type: "istio.io/ca-root",
  encode: secretOfRoots,
  decode: rootsInSecret,
};

/**
 * The store of `--ca etcd` or `--ca secret:NAME`. The former is the etcd of the first source of that kind. The latter is a
 * Secret in the namespace of our Leases. Throws `bad-option` and `source-unavailable`.
 */
export function sharedRootStore(
  context: Pick<ProcessContext, "options" | "clock">,
  place: SharedPlace,
  clock: SupervisedClock,
): RootStore {
  if (place.type === "etcd") return etcdRootStore(requireEtcd(context.options, "--ca etcd"), clock);
  return kubeRootStore(clusterOf(context, { flag: "ca" }), place.name, clock);
}

/** Its prefix is beside that of the mesh's objects, because readers of the objects must not read private keys. */
export function etcdRootStore({ prefix, ...access }: EtcdPlace, clock: SupervisedClock): EtcdDocumentStore<Roots> {
  return new EtcdDocumentStore({ access, clock, prefix: `${prefix}-ca`, name: "roots", format: asText });
}

export function kubeRootStore(cluster: Cluster, name: string, clock: SupervisedClock): RootStore {
  return kubeDocumentStore({ ...cluster, name, clock, format: asSecret });
}
