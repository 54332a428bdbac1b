import { compareHostnames, hostnameCovers, isWildcard } from "../../../config/grammar/hostname.ts";
import type { MeshSettings } from "../mesh-settings.ts";
import type { Service } from "./service.ts";

type NamedService = Pick<Service, "hostname" | "namespace" | "registry">;

/** Whether proxies may send traffic of the service only to endpoints in their own cluster. The most specific host decides. */
export function isClusterLocal(service: NamedService, { clusterLocal }: Pick<MeshSettings, "clusterLocal">): boolean {
  const setting = clusterLocal.find(({ host }) => hostnameCovers(host, service.hostname));
  const builtIn = builtInHost(service);
  if (builtIn === undefined || clusterLocal.some((each) => !each.isLocal && isWithin(each.host, builtIn)))
    return setting?.isLocal ?? false;
  return setting === undefined || setting.isLocal || compareHostnames(builtIn, setting.host) < 0;
}

/** The services of a cluster about itself: `*.kube-system.svc.DOMAIN` and `kubernetes.default.svc.DOMAIN`. */
export function builtInHost({ hostname, namespace, registry }: NamedService): string | undefined {
  if (registry !== "Kubernetes") return undefined;
  if (namespace === "kube-system") return `*${hostname.slice(hostname.indexOf("."))}`;
  return namespace === "default" && hostname.startsWith("kubernetes.default.") ? hostname : undefined;
}

/** A setting for one host of a built-in wildcard removes the wildcard, as in Istio. */
function isWithin(host: string, builtIn: string): boolean {
  return host === builtIn || (isWildcard(builtIn) && host.endsWith(builtIn.slice(1)));
}
