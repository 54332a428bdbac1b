import type { ConfigId, Origin } from "../../config/config.ts";
import type { PatchedPart } from "../../pilot/networking/patch/patch-trace.ts";
import type { TypedEffect } from "../../pilot/xds/patch-effects.ts";
import { configOwners } from "../../pilot/xds/status/suspects.ts";
import type { Resource } from "../../xds/resources/resource.ts";

/** The objects behind a resource, with their places, and the patches that changed it. */
export interface ResourceOrigins {
  readonly name: string;
  readonly owners: readonly PlacedOwner[];
  /** The object behind single parts, by the name of the part: `origins-0` is a provider of tokens. */
  readonly part_owners?: Readonly<Record<string, string>>;
  /** Absent for a resource without patches. */
  readonly patches?: readonly PlacedPatch[];
}

interface PlacedOwner {
  readonly id: ConfigId;
  readonly reference: string;
}

/** A patch that changed a resource: its object, its place, and its position in the object. */
export interface PlacedPatch {
  readonly id: ConfigId;
  readonly reference: string;
  /** `configPatches[1]`. */
  readonly patch: string;
  /** The parts of the resource that it made or changed. */
  readonly parts: readonly PatchedPart[];
}

/** A resource that patches removed. */
export interface RemovedResource {
  readonly name: string;
  readonly patches: readonly PlacedPatch[];
}

type OriginOf = (id: ConfigId) => Origin | undefined;

/** Finds the origins of resources of one proxy, by the short name of their type. */
export function resourceOrigins(effects: readonly TypedEffect[], originOf: OriginOf) {
  const applied = effects.filter(({ problem }) => problem === undefined);
  const byResource = Map.groupBy(applied, ({ type, resource }) => `${type} ${resource}`);
  const patchesOf = (type: string, name: string) =>
    byResource.get(`${type} ${name}`)?.map((effect) => placed(effect, originOf));
  return {
    of(type: string, resource: Resource): ResourceOrigins {
      const { name, partOwners } = resource;
      const patches = patchesOf(type, name);
      return {
        name,
        owners: configOwners(resource).map((id) => ({ id, reference: originOf(id)?.reference ?? "" })),
        ...(partOwners !== undefined && { part_owners: partOwners }),
        ...(patches !== undefined && { patches }),
      };
    },
    /** Nothing if patches removed no resource of the type. */
    removedOf(type: string): { readonly removed?: readonly RemovedResource[] } {
      const names = new Set(
        applied.flatMap((effect) => (effect.type === type && effect.removed ? [effect.resource] : [])),
      );
      if (names.size === 0) return {};
      return { removed: Array.from(names, (name) => ({ name, patches: patchesOf(type, name) ?? [] })) };
    },
  };
}

function placed({ patch: { owner: id, index }, parts }: TypedEffect, originOf: OriginOf): PlacedPatch {
  const patch = `configPatches[${index}]`;
  const origin = originOf(id);
  const place = origin?.locate(`spec.${patch}`);
  const reference = place === undefined ? (origin?.reference ?? "") : `${place.file}:${place.line}`;
  return { id, reference, patch, parts };
}
