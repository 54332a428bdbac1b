import { HeaderValueOption_HeaderAppendAction as HeaderAppendAction } from "#gen/envoy/config/core/v3/base_pb.js";
import type { HeaderChanges, HeaderOperations } from "../../../model/traffic/virtual-service.ts";

/** The four lists of header operations that Envoy's routes and weighted clusters have. */
export function buildHeaderOperations({ request, response }: HeaderOperations) {
  return {
    requestHeadersToAdd: additionsOf(request),
    requestHeadersToRemove: request.remove.filter((name) => !isInternal(name)),
    responseHeadersToAdd: additionsOf(response),
    responseHeadersToRemove: response.remove.filter((name) => !isInternal(name)),
  };
}

export type EnvoyHeaderOperations = ReturnType<typeof buildHeaderOperations>;

export function concatOperations(a: EnvoyHeaderOperations, b: EnvoyHeaderOperations): EnvoyHeaderOperations {
  return {
    requestHeadersToAdd: [...a.requestHeadersToAdd, ...b.requestHeadersToAdd],
    requestHeadersToRemove: [...a.requestHeadersToRemove, ...b.requestHeadersToRemove],
    responseHeadersToAdd: [...a.responseHeadersToAdd, ...b.responseHeadersToAdd],
    responseHeadersToRemove: [...a.responseHeadersToRemove, ...b.responseHeadersToRemove],
  };
}

/** Setting the host header rewrites the host; "" when it is not set. */
export function authorityIn({ request }: HeaderOperations): string {
  const named = [...request.add, ...request.set].findLast(([name]) => isAuthority(name));
  return named?.[1] ?? "";
}

function additionsOf({ set, add }: HeaderChanges) {
  return [
    ...optionsOf(set, HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD),
    ...optionsOf(add, HeaderAppendAction.APPEND_IF_EXISTS_OR_ADD),
  ];
}

function optionsOf(pairs: HeaderChanges["set"], appendAction: HeaderAppendAction) {
  return pairs.filter(([name]) => !isInternal(name)).map(([key, value]) => ({ header: { key, value }, appendAction }));
}

/** Envoy forbids header operations on these. */
function isInternal(name: string): boolean {
  return name.startsWith(":") || name.toLowerCase() === "host";
}

function isAuthority(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === ":authority" || lower === "host";
}
