import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import { FilterConfigSchema, type Route } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { Place } from "../patched-place.ts";

/** Settings of filters in a part of the routes. */
export interface FilterLevel {
  /** For people: `route default`. */
  readonly name: string;
  /** By the name of the filter. */
  readonly configs: Readonly<Record<string, Any>>;
  readonly place: Place;
}

/** How routes change one filter for a request. */
export type FilterOverride =
  | { readonly type: "none" }
  /** The filter does not run. */
  | { readonly type: "off"; readonly level: FilterLevel | undefined }
  | { readonly type: "config"; readonly config: Any; readonly level: FilterLevel }
  /** The clusters of the route have different settings, and one of them is chosen by its weight. */
  | { readonly type: "chance" };

/** A filter in a list of filters. */
interface ListedFilter {
  readonly name: string;
  /** Off, unless routes switch it on. */
  readonly disabled: boolean;
}

/** Envoy's choice: the first level that knows the filter says whether it runs, the first with settings has its settings. */
export function overrideOf(
  { name, disabled }: ListedFilter,
  route: Route | undefined,
  levels: readonly FilterLevel[],
): FilterOverride {
  const ofClusters = clusterLevel(name, route, levels[0]);
  if (ofClusters === "chance") return { type: "chance" };
  const entries = [...ofClusters, ...levels].flatMap((level) => {
    const any = Object.hasOwn(level.configs, name) ? level.configs[name] : undefined;
    return any === undefined ? [] : [{ level, ...entryIn(any) }];
  });
  const [first] = entries;
  if (first === undefined ? disabled : first.disabled) return { type: "off", level: first?.level };
  for (const { config, level } of entries) if (config !== undefined) return { type: "config", config, level };
  return { type: "none" };
}

interface Entry {
  readonly disabled: boolean;
  readonly config: Any | undefined;
}

function entryIn(any: Any): Entry {
  const wrapped = anyUnpack(any, FilterConfigSchema);
  if (wrapped === undefined) return { disabled: false, config: any };
  const { disabled, config } = wrapped;
  return { disabled, config: disabled || config === undefined || config.typeUrl === "" ? undefined : config };
}

/** The settings of weighted clusters, which come before those of the route. None if no cluster has any. */
function clusterLevel(
  name: string,
  route: Route | undefined,
  ofRoute: FilterLevel | undefined,
): readonly FilterLevel[] | "chance" {
  const action = route?.action.case === "route" ? route.action.value.clusterSpecifier : undefined;
  if (action?.case !== "weightedClusters" || ofRoute === undefined) return [];
  const reached = action.value.clusters.filter(({ weight = 0 }) => weight > 0);
  const configs = reached.map(({ typedPerFilterConfig }) => typedPerFilterConfig[name]);
  const [first] = configs;
  if (!configs.every((config) => isSame(config, first))) return "chance";
  return first === undefined ? [] : [{ ...ofRoute, name: `clusters of ${ofRoute.name}`, configs: { [name]: first } }];
}

function isSame(a: Any | undefined, b: Any | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.typeUrl === b.typeUrl && Buffer.compare(a.value, b.value) === 0;
}
