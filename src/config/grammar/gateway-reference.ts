import { configKey } from "../config.ts";
import { isDnsLabel, isFqdn } from "./names.ts";

/** The gateway name for all sidecars. A VirtualService without gateways applies to it. */
export const meshGateway = "mesh";

/**
 * The key `namespace/name` of the gateway in a VirtualService. The reference may also be `name` or `./name` for the own
 * namespace, or the legacy `name.namespace.svc…`. {@link meshGateway} is returned unchanged.
 */
export function resolveGateway(reference: string, namespace: string): string {
  if (reference === meshGateway) return meshGateway;
  const slash = reference.indexOf("/");
  if (slash !== -1) {
    const written = reference.slice(0, slash);
    return configKey({ namespace: written === "." ? namespace : written, name: reference.slice(slash + 1) });
  }
  const [name = "", itsNamespace] = reference.split(".");
  return configKey({ namespace: itsNamespace ?? namespace, name });
}

export function isGatewayReference(reference: string): boolean {
  const [namespace = "", name, ...rest] = reference.split("/");
  if (name === undefined) return isFqdn(reference);
  return rest.length === 0 && (namespace === "." || isDnsLabel(namespace)) && isDnsLabel(name);
}
