import {
  EnvoyFilter_ApplyTo as ApplyTo,
  type EnvoyFilter_ListenerMatch as ListenerMatch,
} from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import { errorUnless, type Finding } from "../../finding.ts";
import { someText } from "../../rules/text.ts";

/** The current name and the old name. */
const connectionManagers = ["envoy.filters.network.http_connection_manager", "envoy.http_connection_manager"];

/** Filters are matched by name. HTTP filters are matched within the connection manager. */
export function filterMatch({ filterChain }: ListenerMatch, applyTo: ApplyTo, path: string): readonly Finding[] {
  const filter = filterChain?.filter;
  if (filter === undefined) return [];
  const at = `${path}.filterChain.filter`;
  const name = someText(filter.name, `${at}.name`, "the name of the filter to find");
  const { subFilter } = filter;
  if (subFilter === undefined) return name;
  return [
    ...name,
    ...errorUnless(applyTo === ApplyTo.HTTP_FILTER, `${at}.subFilter`, {
      code: "bad-match",
      message: "only a patch of HTTP_FILTER is found by a subFilter",
    }),
    ...errorUnless(connectionManagers.includes(filter.name), `${at}.name`, {
      code: "bad-match",
      message: "subFilters are filters of the HTTP connection manager",
      hint: `write ${connectionManagers[0]}`,
    }),
    ...someText(subFilter.name, `${at}.subFilter.name`, "the name of the subFilter to find"),
  ];
}
