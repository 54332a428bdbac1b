import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { PortTranslation } from "../../../model/gateway/port-translation.ts";
import type { PatchContext, PatchTarget } from "../../../model/policy/envoy-patch.ts";
import { matchesRoutes } from "../../../networking/patch/match/match-route.ts";
import { appliesIn } from "../../../networking/patch/patch-run.ts";
import { patchedRoutes } from "../../../networking/patch/patched-resource.ts";
import type { PartInputs } from "../../generator.ts";
import { nothingAdded, type Patching } from "./patched.ts";

export const routeTargets: ReadonlySet<PatchTarget> = new Set<PatchTarget>([
  "ROUTE_CONFIGURATION",
  "VIRTUAL_HOST",
  "HTTP_ROUTE",
]);

/** Route configurations of routers, or outbound ones of sidecars. Patches cannot add whole ones. */
export function routePatching(
  context: PatchContext,
  writer: ProtoWriter,
): Patching<PartInputs & { readonly translation?: PortTranslation }> {
  return {
    wants: (patch) => routeTargets.has(patch.target) && appliesIn(patch, context),
    prepare({ translation }, patches) {
      const servicePorts = servicePortsOf(translation ?? new Map());
      return {
        ...nothingAdded,
        patch(resource) {
          const matching = patches.filter((patch) =>
            matchesRoutes(patch, { name: resource.name, context, servicePorts }),
          );
          if (matching.length === 0) return undefined;
          return patchedRoutes([resource, writer, ...matching], { context, servicePorts });
        },
      };
    },
  };
}

/** By port of a router: the ports of its services that lead there. */
function servicePortsOf(translation: PortTranslation): ReadonlyMap<number, readonly number[]> {
  const byTarget = Map.groupBy(translation, ([, target]) => target);
  return new Map(Array.from(byTarget, ([target, ports]) => [target, ports.map(([port]) => port)]));
}
