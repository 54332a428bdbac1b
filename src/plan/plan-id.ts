import type { Collection } from "../collection/collection.ts";
import { type Config, type ConfigId, configId } from "../config/config.ts";
import { compareTexts } from "../lib/compare.ts";
import { hashText } from "../lib/hash.ts";
import type { PlannedObject } from "./plan.ts";

export type ConfigsByCollection = ReadonlyMap<string, Pick<Collection<Config>, "entries" | "get">>;

/** The objects that differ between two meshes, by collection and key. */
export function plannedObjects(before: ConfigsByCollection, after: ConfigsByCollection): readonly VersionedObject[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const found = names.flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    const keys = new Set([...keysOf(was), ...keysOf(is)]);
    return [...keys].flatMap((key) => changeOf(was?.get(key), is?.get(key)));
  });
  return found.toSorted((a, b) => compareTexts(a.id, b.id));
}

/** A changed object and its new version; "" if it is removed. */
export interface VersionedObject extends PlannedObject {
  readonly version: string;
}

function keysOf(collection: Pick<Collection<Config>, "entries"> | undefined): readonly string[] {
  return Array.from(collection?.entries() ?? [], ([key]) => key);
}

function changeOf(before: Config | undefined, after: Config | undefined): readonly VersionedObject[] {
  if (before?.version === after?.version) return [];
  const { kind, namespace, name, origin, version } = (after ?? before) as Config;
  const operation = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const id: ConfigId = configId(kind, namespace, name);
  return [{ operation, id, reference: origin.reference, version: after === undefined ? "" : version }];
}

/** Names a change of a mesh. Equal objects in force and equal changes have the same id, on every machine. */
export function planId(before: ConfigsByCollection, objects: readonly VersionedObject[]): string {
  const world = [...before].flatMap(([name, collection]) =>
    Array.from(collection.entries(), ([key, { version }]) => `${name} ${key} ${version}`),
  );
  const changes = objects.map(({ operation, id, version }) => `${operation} ${id} ${version}`);
  return hashText([...world.toSorted(compareTexts), "", ...changes].join("\n"));
}
