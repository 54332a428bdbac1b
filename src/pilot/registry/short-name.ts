import { isIpAddress } from "../model/ip-address.ts";
import { MESH_GATEWAY } from "../model/virtual-service.ts";

/** The full name of a host that may be written short: `reviews` in namespace `shop` is `reviews.shop.svc.<domain>`. */
export function fullHostname(hostname: string, namespace: string, domain: string): string {
  if (hostname === "*" || hostname.includes(".") || isIpAddress(hostname)) return hostname;
  return domain === "" ? `${hostname}.${namespace}` : `${hostname}.${namespace}.svc.${domain}`;
}

/** `namespace/name` of a gateway written as `name`, `./name`, `namespace/name` or `name.namespace.svc…`. */
export function fullGatewayRef(gateway: string, namespace: string): string {
  if (gateway === MESH_GATEWAY) return gateway;
  const [first = "", second] = gateway.split("/");
  if (second !== undefined) return `${first === "." ? namespace : first}/${second}`;
  const [name = "", ownNamespace] = gateway.split(".");
  return `${ownNamespace ?? namespace}/${name}`;
}
