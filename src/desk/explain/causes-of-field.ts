import type { JsonValue } from "@bufbuild/protobuf";
import { resourceJson } from "../../admin/resource/resource-json.ts";
import { type Config, type ConfigId, configId } from "../../config/config.ts";
import { writtenObject } from "../../config/written/written-object.ts";
import { assert } from "../../lib/assert.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { MeshError } from "../../lib/errors.ts";
import { oncePer } from "../../lib/memo.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import { type Causes, findCauses } from "../../provenance/find-causes.ts";
import { locateField, valueOf } from "../../provenance/located-field.ts";

/** A mesh whose objects can be changed and changed back, and the resources that one proxy has in it. */
export interface TriedMesh {
  readonly objects: readonly Config[];
  /** Makes these changes, and takes all earlier ones back. */
  edit(edits: readonly ObjectEdit[]): Promise<void>;
  resourcesOf(type: ResourceType): readonly Resource[];
}

/** Another version of an object, or its removal. The other version may have another name. */
interface ObjectEdit {
  readonly object: Config;
  readonly version: Config | undefined;
}

/** One field of one resource. */
export interface FieldQuestion {
  readonly type: ResourceType;
  readonly resource: string;
  /** Empty for the whole resource. */
  readonly field: string;
}

export interface FieldAnswer extends Causes {
  readonly value: JsonValue;
}

/** An object may have no text. */
export const written = oncePer((object: Config) => ({ object: writtenObject(object) }));

/** The value of a field and the lines that it depends on. Throws `not-found`. `onTry` hears of every change tried. */
export async function causesOfField(
  mesh: TriedMesh,
  { type, resource: name, field: path }: FieldQuestion,
  onTry: () => void = () => undefined,
): Promise<FieldAnswer> {
  const resources = mesh.resourcesOf(type);
  const resource = resources.find((each) => each.name === name);
  if (resource === undefined) throw noSuch("resource", name, resources);
  const json = resourceJson(resource.entry);
  const field = locateField(json, path);
  const value = field && valueOf(json, field);
  if (field === undefined || value === undefined) throw noField(name, path);
  const owners = ownersOf(resource);
  const causes = await findCauses({
    value,
    objects: mesh.objects,
    written: (object) => written(object).object,
    isOwner: ({ kind, namespace, name }) => owners.has(configId(kind, namespace, name)),
    async valueWith(edits) {
      onTry();
      await mesh.edit(edits);
      const edited = mesh.resourcesOf(type).find((each) => each.name === name);
      return edited && valueOf(resourceJson(edited.entry), field);
    },
  });
  await mesh.edit([]);
  assert(mesh.resourcesOf(type).length === resources.length, "an edited mesh can be changed back");
  return { ...causes, value };
}

function ownersOf({ owners, partOwners = {} }: Resource): ReadonlySet<ConfigId> {
  return new Set([...owners, ...Object.values(partOwners)]);
}

const mostNamed = 5;

function noSuch(what: string, name: string, resources: readonly Resource[]): MeshError {
  const names = resources.map((each) => each.name);
  const near = didYouMean(name, names);
  const known = [...names.slice(0, mostNamed), ...(names.length > mostNamed ? ["…"] : [])].join(", ");
  const hint = near === undefined ? `; it has ${known || "none of this type"}` : `; did you mean ${near}?`;
  return new MeshError("not-found", `the proxy has no ${what} ${JSON.stringify(name)}${hint}`);
}

function noField(name: string, path: string): MeshError {
  return new MeshError("not-found", `${name} has no field ${path}; binnacle translate shows its fields`);
}
