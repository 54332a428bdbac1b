import type { HTTPMatchRequest, StringMatch } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { deepEqual } from "../../../../lib/equal.ts";
import { type Conditions, prefixCondition } from "./match-index.ts";

/** The conditions of a request match, in the form that `matchCovers` compares. */
export function httpConditions(match: HTTPMatchRequest): Conditions {
  const { uri, scheme, method, authority, port, sourceNamespace, gateways } = match;
  const asked = [`ignores case ${match.ignoreUriCase}`];
  for (const [name, value] of Object.entries({ scheme, method, authority }))
    if (value !== undefined) asked.push(`${name} ${textOf(value)}`);
  if (port !== 0) asked.push(`port ${port}`);
  if (sourceNamespace !== "") asked.push(`from ${sourceNamespace}`);
  if (gateways.length > 0) asked.push(`gateways ${JSON.stringify(gateways)}`);
  for (const [name, value] of Object.entries(match.sourceLabels)) asked.push(`label ${name}=${value}`);
  const { headers, withoutHeaders, queryParams } = match;
  for (const [part, entries] of Object.entries({ headers, withoutHeaders, queryParams }))
    for (const [name, value] of Object.entries(entries)) asked.push(`${part} ${name} ${textOf(value)}`);
  if (uri === undefined) return { asked };
  const { case: form, value } = uri.matchType;
  asked.push(form === "prefix" ? prefixCondition(value) : `uri ${textOf(uri)}`);
  return form === "prefix" || form === "exact" ? { asked, uri: value } : { asked };
}

/** A connection match is one condition: only an equal match covers it. */
export function wholeCondition(match: object): Conditions {
  return { asked: [JSON.stringify(match, inOrder)] };
}

/** Maps are equal in any order of their keys. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function textOf({ matchType }: StringMatch): string {
  return `${matchType.case} ${matchType.value}`;
}

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
