import type { ConfigId } from "../../config/config.ts";
import type { KnownConfig } from "../mesh/proxy-dump.ts";

type ResourceType = "cluster" | "listener" | "route" | "endpoint";

/** The objects of a kind behind a whole resource, as {@link placeTexts} writes them. */
export function ownerPlaces(known: KnownConfig, type: ResourceType, name: string, kind: string): string {
  return placeTexts(known.config.ownersOf?.(type, name) ?? [], kind, known);
}

/** `name.namespace (file:line)` of each owner of a kind; empty when there is none. */
export function placeTexts(owners: readonly ConfigId[], kind: string, known: Pick<KnownConfig, "referenceOf">): string {
  return owners
    .filter((id) => id.startsWith(`${kind}/`))
    .map((id) => placeText(id, known))
    .join(", ");
}

/** All objects behind a whole resource, as {@link objectTexts} writes them. */
export function ownerObjects(known: KnownConfig, type: ResourceType, name: string): string {
  return objectTexts(known.config.ownersOf?.(type, name) ?? [], known);
}

/** `Kind name.namespace (file:line)` of each owner; empty when there is none. */
export function objectTexts(owners: readonly ConfigId[], known: Pick<KnownConfig, "referenceOf">): string {
  return owners.map((id) => `${id.split("/", 1)[0]} ${placeText(id, known)}`).join(", ");
}

function placeText(id: ConfigId, { referenceOf }: Pick<KnownConfig, "referenceOf">): string {
  const [, namespace = "", name = ""] = id.split("/");
  const reference = referenceOf(id);
  return `${name}.${namespace}${reference === undefined ? "" : ` (${reference})`}`;
}
