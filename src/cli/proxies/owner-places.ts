import type { ConfigId } from "../../config/config.ts";
import type { KnownConfig } from "../mesh/proxy-dump.ts";

type ResourceType = "cluster" | "listener" | "route" | "endpoint";

/** The objects of a kind behind a whole resource, as {@link placeTexts} writes them. */
export function ownerPlaces(known: KnownConfig, type: ResourceType, name: string, kind: string): string {
  return placeTexts(known.config.ownersOf?.(type, name) ?? [], kind, known);
}

/** `name.namespace (file:line)` of each owner of a kind; empty when there is none. */
export function placeTexts(
  owners: readonly ConfigId[],
  kind: string,
  { referenceOf }: Pick<KnownConfig, "referenceOf">,
): string {
  return owners
    .filter((id) => id.startsWith(`${kind}/`))
    .map((id) => {
      const [, namespace = "", object = ""] = id.split("/");
      const reference = referenceOf(id);
      return `${object}.${namespace}${reference === undefined ? "" : ` (${reference})`}`;
    })
    .join(", ");
}
