import type { RootStore } from "../../ca/root-store.ts";
import { MeshError } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { clusterOf } from "../kube/elected.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { etcdPlace } from "../sources/etcd.ts";
import { parseSourceUrl } from "../sources/source-url.ts";
import { EtcdRootStore } from "./etcd-root-store.ts";
import { kubeRootStore } from "./kube-root-store.ts";

/** A place where replicas share their roots. */
type SharedPlace = { readonly type: "etcd" } | { readonly type: "secret"; readonly name: string };

/**
 * The store of `--ca etcd` or `--ca secret:NAME`. The former is the etcd of the first source of that kind. The latter is a
 * Secret in the namespace of our Leases. Throws `bad-option` and `source-unavailable`.
 */
export function sharedRootStore(
  context: Pick<ProcessContext, "options" | "clock">,
  place: SharedPlace,
  clock: SupervisedClock,
): RootStore {
  if (place.type === "secret") {
    return kubeRootStore({ ...clusterOf(context, { flag: "ca" }), clock, name: place.name });
  }
  const urls = context.options.sources.map(parseSourceUrl);
  const url = urls.find(({ scheme }) => scheme === "etcd" || scheme === "etcds");
  if (url === undefined) throw new MeshError("bad-option", "--ca etcd needs a --source etcd: or etcds:");
  return new EtcdRootStore(etcdPlace(url), clock);
}
