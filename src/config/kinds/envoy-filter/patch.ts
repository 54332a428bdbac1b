import {
  EnvoyFilter_ApplyTo as ApplyTo,
  type EnvoyFilter_ListenerMatch as ListenerMatch,
  type EnvoyFilter_EnvoyConfigObjectMatch as Match,
  EnvoyFilter_Patch_Operation as Operation,
  type EnvoyFilter_Patch as Patch,
  EnvoyFilter_PatchContext as PatchContext,
  type EnvoyFilter_EnvoyConfigObjectPatch as PatchOfObject,
} from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import { error, errorUnless, type Finding } from "../../finding.ts";
import { optionalPortNumber } from "../../rules/port.ts";
import { regex } from "../../rules/regex.ts";
import { someText } from "../../rules/text.ts";

/** The match type for each part of Envoy's configuration. */
const matchOf: Readonly<Record<ApplyTo, "listener" | "routeConfiguration" | "cluster" | undefined>> = {
  [ApplyTo.INVALID]: undefined,
  [ApplyTo.LISTENER]: "listener",
  [ApplyTo.LISTENER_FILTER]: "listener",
  [ApplyTo.FILTER_CHAIN]: "listener",
  [ApplyTo.NETWORK_FILTER]: "listener",
  [ApplyTo.HTTP_FILTER]: "listener",
  [ApplyTo.ROUTE_CONFIGURATION]: "routeConfiguration",
  [ApplyTo.VIRTUAL_HOST]: "routeConfiguration",
  [ApplyTo.HTTP_ROUTE]: "routeConfiguration",
  [ApplyTo.CLUSTER]: "cluster",
  [ApplyTo.EXTENSION_CONFIG]: undefined,
  [ApplyTo.BOOTSTRAP]: undefined,
};

export function configPatch({ applyTo, match, patch }: PatchOfObject, path: string): readonly Finding[] {
  return [
    ...errorUnless(applyTo !== ApplyTo.INVALID, `${path}.applyTo`, {
      code: "missing-value",
      message: "applyTo is missing",
    }),
    ...patchOperation(patch, `${path}.patch`),
    ...(match === undefined ? [] : objectMatch(match, applyTo, `${path}.match`)),
  ];
}

function patchOperation(patch: Patch | undefined, path: string): readonly Finding[] {
  if (patch === undefined) return [error(path, { code: "missing-value", message: "the patch is missing" })];
  const { operation, value } = patch;
  return [
    ...errorUnless(operation !== Operation.INVALID, `${path}.operation`, {
      code: "missing-value",
      message: "the operation is missing",
    }),
    ...errorUnless(operation === Operation.REMOVE || value !== undefined, `${path}.value`, {
      code: "missing-value",
      message: "every operation except REMOVE needs a value",
    }),
  ];
}

function objectMatch(match: Match, applyTo: ApplyTo, path: string): readonly Finding[] {
  const { context, proxy, objectTypes } = match;
  const version = proxy?.proxyVersion ?? "";
  return [
    ...(version === "" ? [] : regex(version, `${path}.proxy.proxyVersion`)),
    ...errorUnless((objectTypes.case === "waypoint") === (context === PatchContext.WAYPOINT), path, {
      code: "bad-match",
      message: "a waypoint match and the context WAYPOINT need each other",
    }),
    ...agreement(objectTypes, applyTo, path),
    ...(objectTypes.case === "waypoint"
      ? optionalPortNumber(objectTypes.value.portNumber, `${path}.waypoint.portNumber`)
      : []),
    ...(objectTypes.case === "listener" ? filterMatch(objectTypes.value, applyTo, `${path}.listener`) : []),
  ];
}

function agreement(found: Match["objectTypes"], applyTo: ApplyTo, path: string): readonly Finding[] {
  const wanted = matchOf[applyTo];
  if (found.case === undefined || found.case === "waypoint" || wanted === undefined) return [];
  return errorUnless(found.case === wanted, `${path}.${found.case}`, {
    code: "bad-match",
    message: `a patch of ${ApplyTo[applyTo]} needs a ${wanted} match`,
  });
}

/** The current name and the old name. */
const connectionManagers = ["envoy.filters.network.http_connection_manager", "envoy.http_connection_manager"];

/** Filters are matched by name. HTTP filters are matched within the connection manager. */
function filterMatch({ filterChain }: ListenerMatch, applyTo: ApplyTo, path: string): readonly Finding[] {
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
      message: "only a patch of HTTP_FILTER can match a subFilter",
    }),
    ...errorUnless(connectionManagers.includes(filter.name), `${at}.name`, {
      code: "bad-match",
      message: "a subFilter needs the HTTP connection manager as its filter",
      hint: `write ${connectionManagers[0]}`,
    }),
    ...someText(subFilter.name, `${at}.subFilter.name`, "the name of the subFilter to find"),
  ];
}
