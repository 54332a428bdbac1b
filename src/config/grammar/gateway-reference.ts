import { configKey } from "../config.ts";
import { isDnsLabel, isFqdn } from "./names.ts";

/** The gateway that every sidecar is, and that a VirtualService without gateways applies to. */
export const meshGateway = "mesh";

/**
 * The key, `namespace/name`, of the gateway that a VirtualService means. Besides that form it may write `name` or `./name` for
 * its own namespace, or the legacy `name.namespace.svc…`; {@link meshGateway} stays itself.
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
