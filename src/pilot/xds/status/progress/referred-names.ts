import { fromBinary } from "@bufbuild/protobuf";
import { AnySchema, anyUnpack } from "@bufbuild/protobuf/wkt";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { oncePer } from "../../../../lib/memo.ts";
import type { Resource } from "../../../../xds/resources/resource.ts";
import type { ResourceSet } from "../../../../xds/resources/resource-set.ts";
import type { Target } from "../../../../xds/resources/target.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../../../xds/type-urls.ts";
import { anyIn } from "../../../../xds/wire/entry.ts";

/** A type whose resources refer to resources of another type, which an Envoy requests by name. */
interface Reference {
  readonly from: string;
  readonly to: { readonly typeUrl: string; readonly shortName: string };
  readonly namesIn: (set: ResourceSet) => ReadonlySet<string>;
}

const endpointsOfSet = oncePer(
  (set: ResourceSet): ReadonlySet<string> => new Set([...set].flatMap(({ warmedBy }) => warmedBy ?? [])),
);

const routesOfSet = oncePer((set: ResourceSet): ReadonlySet<string> => new Set([...set].flatMap(routesOf)));

/** Listeners without RDS are in most sets, so the decoded messages are not kept. */
const routesOf = oncePer(({ entry }: Resource): readonly string[] => {
  const listener = anyUnpack(fromBinary(AnySchema, anyIn(entry)), ListenerSchema);
  const chains = [
    ...(listener?.filterChains ?? []),
    ...(listener?.defaultFilterChain ? [listener.defaultFilterChain] : []),
  ];
  return chains.flatMap(({ filters }) =>
    filters.flatMap(({ configType }) => {
      if (configType.case !== "typedConfig") return [];
      const specifier = anyUnpack(configType.value, HttpConnectionManagerSchema)?.routeSpecifier;
      return specifier?.case === "rds" ? [specifier.value.routeConfigName] : [];
    }),
  );
});

export const references: readonly Reference[] = [
  { from: clusterType, to: { typeUrl: endpointType, shortName: "EDS" }, namesIn: endpointsOfSet },
  { from: listenerType, to: { typeUrl: routeType, shortName: "RDS" }, namesIn: routesOfSet },
];

/** The names that the resources refer to. */
export function namesReferredTo(target: Target, { namesIn }: Reference): ReadonlySet<string> {
  const [only, ...others] = target.map(namesIn);
  return others.reduce((all, names) => all.union(names), only ?? new Set<string>());
}
