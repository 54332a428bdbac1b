import type { KnownConfig } from "../mesh/config-dump.ts";

type ResourceType = "cluster" | "listener" | "route" | "endpoint";

/** `name.namespace (file:line)` of the objects of a kind behind a resource, as far as there are any. */
export function placeOf({ config, referenceOf }: KnownConfig, type: ResourceType, name: string, kind: string): string {
  const owners = config.ownersOf?.(type, name) ?? [];
  return owners
    .filter((id) => id.startsWith(`${kind}/`))
    .map((id) => {
      const [, namespace = "", object = ""] = id.split("/");
      const reference = referenceOf(id);
      return `${object}.${namespace}${reference === undefined ? "" : ` (${reference})`}`;
    })
    .join(", ");
}
