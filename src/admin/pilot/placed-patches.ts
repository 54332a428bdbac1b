import type { ConfigId, Origin } from "../../config/config.ts";
import type { TypedEffect } from "../../pilot/xds/patch-effects.ts";

/** A patch that changed a resource: its object, the place of the object, and its position there. */
export interface PlacedPatch {
  readonly id: ConfigId;
  readonly reference: string;
  /** `configPatches[1]`. */
  readonly patch: string;
}

/** By type and name of a resource: the patches that changed it. Nothing for a resource without patches. */
export function placedPatches(
  effects: readonly TypedEffect[],
  originOf: (id: ConfigId) => Origin | undefined,
): (type: string, name: string) => { readonly patches?: readonly PlacedPatch[] } {
  const applied = effects.filter(({ problem }) => problem === undefined);
  const byResource = Map.groupBy(applied, ({ type, resource }) => `${type} ${resource}`);
  return (type, name) => {
    const patches = byResource.get(`${type} ${name}`)?.map(({ patch: { owner: id, index } }) => ({
      id,
      reference: originOf(id)?.reference ?? "",
      patch: `configPatches[${index}]`,
    }));
    return patches === undefined ? {} : { patches };
  };
}
