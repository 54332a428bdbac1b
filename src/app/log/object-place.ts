import type { ConfigId, Origin } from "../../config/config.ts";

/** The current places of users' objects. */
export type OriginOf = (id: ConfigId) => Origin | undefined;

/** `VirtualService/shop/reviews (mesh/reviews.yaml:7)`. */
export function idWithPlace(id: ConfigId, originOf: OriginOf): string {
  return `${id} (${placeOf(id, originOf)})`;
}

/** `file:line`, as it is now. */
export function placeOf(id: ConfigId, originOf: OriginOf): string {
  return originOf(id)?.reference ?? "gone";
}
