import type { ConfigId } from "../../config/config.ts";

/**
 * `Service` of `Service/shop/reviews`. Each function parses only one part of an id, because a push reads very many ids.
 */
export function kindNameOf(id: ConfigId): string {
  return id.slice(0, id.indexOf("/"));
}

/** `shop/reviews`: the key of the object in its collection. */
export function keyOf(id: ConfigId): string {
  return id.slice(id.indexOf("/") + 1);
}

export function namespaceOf(id: ConfigId): string {
  return id.slice(id.indexOf("/") + 1, id.lastIndexOf("/"));
}

/** The last part: a name, or the hostname of a service. */
export function nameOf(id: ConfigId): string {
  return id.slice(id.lastIndexOf("/") + 1);
}
