import type { HTTPMatchRequest, StringMatch } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { deepEqual } from "../../../../lib/equal.ts";

/** True if `earlier` matches every request that `later` matches. False if this cannot be decided. */
export function matchCovers(earlier: HTTPMatchRequest, later: HTTPMatchRequest): boolean {
  return (
    earlier.ignoreUriCase === later.ignoreUriCase &&
    uriCovers(earlier.uri, later.uri) &&
    isUnsetOrEqual(earlier.scheme, later.scheme) &&
    isUnsetOrEqual(earlier.method, later.method) &&
    isUnsetOrEqual(earlier.authority, later.authority) &&
    (earlier.port === 0 || earlier.port === later.port) &&
    (earlier.sourceNamespace === "" || earlier.sourceNamespace === later.sourceNamespace) &&
    (earlier.gateways.length === 0 || deepEqual(earlier.gateways, later.gateways)) &&
    isPartOf(earlier.headers, later.headers, isUnsetOrEqual) &&
    isPartOf(earlier.withoutHeaders, later.withoutHeaders, isUnsetOrEqual) &&
    isPartOf(earlier.queryParams, later.queryParams, isUnsetOrEqual) &&
    isPartOf(earlier.sourceLabels, later.sourceLabels, Object.is)
  );
}

function uriCovers(earlier: StringMatch | undefined, later: StringMatch | undefined): boolean {
  if (isUnsetOrEqual(earlier, later)) return true;
  const [wide, narrow] = [earlier?.matchType, later?.matchType];
  const isText = narrow?.case === "prefix" || narrow?.case === "exact";
  return wide?.case === "prefix" && isText && narrow.value.startsWith(wide.value);
}

function isUnsetOrEqual(earlier: StringMatch | undefined, later: StringMatch | undefined): boolean {
  return earlier === undefined || (later !== undefined && deepEqual(earlier.matchType, later.matchType));
}

type Entries<T> = Readonly<Record<string, T>>;

function isPartOf<T>(earlier: Entries<T>, later: Entries<T>, equal: (a: T, b: T | undefined) => boolean): boolean {
  return Object.entries(earlier).every(([key, value]) => Object.hasOwn(later, key) && equal(value, later[key]));
}
