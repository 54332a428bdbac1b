import type { PlacedPatch } from "../../admin/pilot/resource-origins.ts";
import type { ConfigId } from "../../config/config.ts";
import { fieldPath } from "../../config/field-path.ts";
import { configIdAt } from "../../explain/envoy-config.ts";
import { isMapping } from "../../lib/is-mapping.ts";

/** A part of a resource as JSON, and the object behind it. */
export interface OwnedPart {
  readonly path: string;
  readonly id: ConfigId;
  /** Of a patch: its position and its place. */
  readonly patch?: Pick<PlacedPatch, "patch" | "reference">;
}

/** More parts would make an answer slow to read. A router of thousands of hosts has as many. */
const maxParts = 1_000;

/**
 * The objects behind the parts of a resource: from Istio's metadata in virtual hosts, routes and clusters, from named
 * parts with an owner of their own, and from the patches that changed the resource.
 */
export function partsOf(
  content: unknown,
  partOwners: Readonly<Record<string, string>> = {},
  patches: readonly PlacedPatch[] = [],
): readonly OwnedPart[] {
  const found: OwnedPart[] = [];
  const visit = (value: unknown, path: string): void => {
    if (found.length >= maxParts || typeof value !== "object" || value === null) return;
    const id = ownerIn(value);
    if (id !== undefined) found.push({ path, id });
    for (const [key, part] of Object.entries(value)) {
      const at = Array.isArray(value) ? `${path}[${key}]` : fieldPath(path, key);
      const owner = Object.hasOwn(partOwners, key) ? partOwners[key] : undefined;
      if (owner !== undefined) found.push({ path: at, id: owner as ConfigId });
      visit(part, at);
    }
  };
  visit(content, "");
  const patched = patches.flatMap(({ id, patch, reference, parts }) =>
    parts.map(({ path }): OwnedPart => ({ path: jsonPath(content, path), id, patch: { patch, reference } })),
  );
  return [...patched, ...found].slice(0, maxParts);
}

/** `{metadata: {filter_metadata: {istio: {config: "/apis/…"}}}}`. */
function ownerIn(value: object): ConfigId | undefined {
  if (!isMapping(value) || !isMapping(value["metadata"])) return undefined;
  const { filter_metadata: filters } = value["metadata"];
  return isMapping(filters) && isMapping(filters["istio"]) ? configIdAt(filters["istio"]["config"]) : undefined;
}

/** `filterChains[0].filters[1].httpFilters[2]` in the names of the JSON, where filters hold their content apart. */
function jsonPath(content: unknown, path: string): string {
  let value = content;
  let way = "";
  for (const [, field = "", index] of path.matchAll(/(?<field>[A-Za-z]+)(?:\[(?<index>\d+)\])?/gu)) {
    const key = field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
    if (isMapping(value) && !(key in value) && isMapping(value["typed_config"])) {
      value = value["typed_config"];
      way = fieldPath(way, "typed_config");
    }
    value = isMapping(value) ? value[key] : undefined;
    way = fieldPath(way, key);
    if (index === undefined) continue;
    value = Array.isArray(value) ? value[Number(index)] : undefined;
    way = `${way}[${index}]`;
  }
  return way;
}
