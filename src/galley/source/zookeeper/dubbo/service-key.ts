/** The identity of a service for Dubbo consumers. */
export interface ServiceKey {
  readonly interfaceName: string;
  readonly group: string;
  readonly version: string;
}

/** `key`: the service key itself; `dns`: a valid hostname. */
export type Naming = "dns" | "key";

/** `com.acme.Cart`, `com.acme.Cart:group`, `com.acme.Cart:group:1.0.0`, `com.acme.Cart::1.0.0`. */
export function serviceKeyText({ interfaceName, group, version }: ServiceKey): string {
  return `${interfaceName}:${group}:${version}`.replace(/:+$/u, "");
}

/** `com.acme.cart-group-1-0-0` by `dns`. */
export function dubboHostname(key: ServiceKey, naming: Naming): string {
  if (naming === "key") return serviceKeyText(key);
  const more = [key.group, key.version].filter((part) => part !== "").map((part) => `-${part.replaceAll(".", "-")}`);
  return `${key.interfaceName}${more.join("")}`.toLowerCase().replaceAll(/[^-a-z0-9.]/gu, "-");
}
