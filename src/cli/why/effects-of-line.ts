import type { JsonValue } from "@bufbuild/protobuf";
import { resourceJson } from "../../admin/resource/resource-json.ts";
import type { EditableMesh } from "../../app/offline/editable-mesh.ts";
import type { SourceLocation } from "../../config/config.ts";
import { numbersIn } from "../../config/written/other-values.ts";
import type { Leaf, WrittenObject } from "../../config/written/written-object.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import {
  anotherVersion,
  effectsBetween,
  leavesInLine,
  type NamedResources,
  type ResourceEffect,
} from "../../provenance/find-effects.ts";
import type { AssumedProxy } from "../mesh/assumed-proxies.ts";
import { written } from "../../desk/explain/causes-of-field.ts";

/** The effect of one value in a line on one resource, and the proxies that have the resource. */
export interface LineEffect extends ResourceEffect {
  /** CDS, LDS, … */
  readonly shortName: string;
  readonly leaf: Leaf;
  readonly proxies: readonly AssumedProxy[];
}

export interface LineAnswer {
  readonly object: WrittenObject;
  readonly leaves: readonly Leaf[];
  /** Values for which no other valid value was found. */
  readonly fixed: readonly Leaf[];
  readonly effects: readonly LineEffect[];
}

/** Values beyond these are not tried: the line begins a large part of an object. */
const mostLeaves = 64;

/** The resources that a line reaches: they differ if the line has another value. Throws `not-found`. */
export async function effectsOfLine(
  mesh: EditableMesh,
  place: Pick<SourceLocation, "file" | "line">,
  proxies: readonly AssumedProxy[],
  onTry: () => void,
): Promise<LineAnswer> {
  const line = leavesInLine(mesh.objects, (object) => written(object).object, place);
  if (line === undefined)
    throw new MeshError("not-found", `${place.file}:${place.line} has no value of an object in use`);
  const before = new Map(proxies.map((each) => [each, resourcesOf(mesh, each.proxy)]));
  const effects: LineEffect[] = [];
  const fixed: Leaf[] = [];
  const known = numbersIn(mesh.objects);
  for (const leaf of line.leaves.slice(0, mostLeaves)) {
    onTry();
    const version = anotherVersion(line.object, leaf, known);
    if (version === undefined) {
      fixed.push(leaf);
      continue;
    }
    await mesh.edit([{ object: line.object.config, version }]);
    for (const effect of effectsOn(mesh, before)) effects.push({ ...effect, leaf });
  }
  await mesh.edit([]);
  return { object: line.object, leaves: line.leaves, fixed, effects };
}

/** By the short name of the type. */
type TypedResources = ReadonlyMap<string, NamedResources>;

function resourcesOf(mesh: EditableMesh, proxy: Proxy): TypedResources {
  return new Map(
    mesh.types.map((type) => {
      const resources = mesh.resourcesFor(proxy, type).map(({ name, entry }) => [name, entry] as const);
      return [
        type.shortName,
        new Map<string, JsonValue>(resources.map(([name, entry]) => [name, resourceJson(entry)])),
      ];
    }),
  );
}

/** Equal effects on several proxies are one. */
function effectsOn(
  mesh: EditableMesh,
  before: ReadonlyMap<AssumedProxy, TypedResources>,
): readonly Omit<LineEffect, "leaf">[] {
  const found = Array.from(before, ([each, earlier]) => {
    const now = resourcesOf(mesh, each.proxy);
    return Array.from(now, ([shortName, resources]) =>
      Array.from(effectsBetween(earlier.get(shortName) ?? new Map(), resources), (effect) => ({
        each,
        shortName,
        effect,
      })),
    ).flat();
  }).flat();
  const equal = Map.groupBy(found, ({ shortName, effect }) => JSON.stringify([shortName, effect]));
  return Array.from(equal.values(), (group) => {
    const [first] = group;
    return first === undefined
      ? []
      : [{ ...first.effect, shortName: first.shortName, proxies: group.map(({ each }) => each) }];
  }).flat();
}
