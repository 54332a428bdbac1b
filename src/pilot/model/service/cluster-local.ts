import { compareHostnames, hostnameCovers, isWildcard } from "../../../config/grammar/hostname.ts";
import type { MeshSettings } from "../mesh-settings.ts";
import type { Service } from "./service.ts";

type LocalSettings = Pick<MeshSettings, "clusterLocal" | "discoveryHost">;
type NamedService = Pick<Service, "hostname" | "namespace" | "registry">;

/** Whether proxies may send traffic of the service only to endpoints in their own cluster. The most specific host decides. */
export function isClusterLocal(service: NamedService, mesh: LocalSettings): boolean {
  const { clusterLocal } = mesh;
  const setting = clusterLocal.find(({ host }) => hostnameCovers(host, service.hostname));
  const builtIn = builtInHost(service, mesh);
  if (builtIn === undefined || clusterLocal.some((each) => !each.isLocal && isWithin(each.host, builtIn)))
    return setting?.isLocal ?? false;
  return setting === undefined || setting.isLocal || compareHostnames(builtIn, setting.host) < 0;
}

/**
 * The services of a cluster about itself: `*.kube-system.svc.DOMAIN`, `kubernetes.default.svc.DOMAIN` and the control
 * plane, which proxies reach in their own cluster.
 */
export function builtInHost(
  { hostname, namespace, registry }: NamedService,
  { discoveryHost }: Pick<MeshSettings, "discoveryHost">,
): string | undefined {
  if (registry !== "Kubernetes") return undefined;
  if (namespace === "kube-system") return `*${hostname.slice(hostname.indexOf("."))}`;
  const isApiServer = namespace === "default" && hostname.startsWith("kubernetes.default.");
  return isApiServer || hostname === discoveryHost || shortName(hostname) === discoveryHost ? hostname : undefined;
}

/** `istiod.istio-system.svc` for `istiod.istio-system.svc.cluster.local`. */
function shortName(hostname: string): string {
  return hostname.split(".", 3).join(".");
}

/** A setting for one host of a built-in wildcard removes the wildcard, as in Istio. */
function isWithin(host: string, builtIn: string): boolean {
  return host === builtIn || (isWildcard(builtIn) && host.endsWith(builtIn.slice(1)));
}
