import { compareTexts } from "../../../../lib/compare.ts";
import type { HttpMatch, NamedMatch, PathMatch } from "../../../model/traffic/virtual-service.ts";
import type { WrittenRoute } from "./written-route.ts";

/**
 * Merges a route of a delegate into the route that delegates to it; undefined when no request can match both. Fields
 * that the delegate does not set come from the delegating route.
 */
export function mergeDelegated(root: WrittenRoute, own: WrittenRoute): WrittenRoute | undefined {
  const matches = mergeMatches(root.matches, own.matches);
  if (matches === undefined) return undefined;
  return {
    name: joinNames(root.name, own.name),
    matches,
    redirect: own.redirect,
    directResponse: own.directResponse ?? root.directResponse,
    destinations: own.destinations,
    rewrite: own.rewrite ?? root.rewrite,
    timeout: own.timeout ?? root.timeout,
    retries: own.retries ?? root.retries,
    mirror: own.mirror ?? root.mirror,
    mirrorShare: own.mirrorShare ?? root.mirrorShare,
    mirrors: own.mirrors.length > 0 ? own.mirrors : root.mirrors,
    headers: own.headers ?? root.headers,
    fault: own.fault ?? root.fault,
    cors: own.cors ?? root.cors,
  };
}

/**
 * Combines each match of the delegate with each compatible match of the root. A match without any compatible one drops
 * the route.
 */
function mergeMatches(root: readonly HttpMatch[], own: readonly HttpMatch[]): readonly HttpMatch[] | undefined {
  if (root.length === 0) return own;
  if (own.length === 0) return root;
  const merged = own.map((match) =>
    root.filter((outer) => !contradicts(outer, match)).map((outer) => mergeMatch(outer, match)),
  );
  return merged.every((alternatives) => alternatives.length > 0) ? merged.flat() : undefined;
}

function mergeMatch(root: HttpMatch, own: HttpMatch): HttpMatch {
  return {
    port: own.port || root.port,
    gateways: own.gateways.length > 0 ? own.gateways : root.gateways,
    sourceLabels: { ...root.sourceLabels, ...own.sourceLabels },
    sourceNamespace: own.sourceNamespace || root.sourceNamespace,
    name: joinNames(root.name, own.name),
    statPrefix: own.statPrefix || root.statPrefix,
    uri: own.uri.type === "present" ? root.uri : own.uri,
    ignoreUriCase: own.ignoreUriCase,
    method: own.method ?? root.method,
    authority: own.authority ?? root.authority,
    scheme: own.scheme ?? root.scheme,
    headers: mergeNamed(root.headers, own.headers),
    withoutHeaders: mergeNamed(root.withoutHeaders, own.withoutHeaders),
    queryParams: mergeNamed(root.queryParams, own.queryParams),
  };
}

/** True when the match of the delegate accepts no request that the match of the root accepts. */
function contradicts(root: HttpMatch, own: HttpMatch): boolean {
  if (root.ignoreUriCase !== own.ignoreUriCase) return true;
  if (root.port !== 0 && own.port !== 0 && root.port !== own.port) return true;
  // As in Istio, this applies even where the delegate has no source namespace.
  if (root.sourceNamespace !== "" && root.sourceNamespace !== own.sourceNamespace) return true;
  if (Object.entries(own.sourceLabels).some(([name, value]) => (root.sourceLabels[name] ?? value) !== value))
    return true;
  if (root.gateways.length > 0 && own.gateways.some((gateway) => !root.gateways.includes(gateway))) return true;
  return (
    textsDiffer(root.uri, own.uri) ||
    textsDiffer(root.method, own.method) ||
    textsDiffer(root.authority, own.authority) ||
    textsDiffer(root.scheme, own.scheme) ||
    namedDiffer(root.headers, own.headers) ||
    namedDiffer(root.withoutHeaders, own.withoutHeaders) ||
    namedDiffer(root.queryParams, own.queryParams)
  );
}

/** Regexes cannot be compared, so a regex always contradicts another match. */
function textsDiffer(root: PathMatch | undefined, own: PathMatch | undefined): boolean {
  if (root === undefined || own === undefined || root.type === "present" || own.type === "present") return false;
  if (root.type === "regex" || own.type === "regex") return true;
  return root.type === "exact" ? own.type !== "exact" || own.value !== root.value : !own.value.startsWith(root.value);
}

function namedDiffer(root: readonly NamedMatch[], own: readonly NamedMatch[]): boolean {
  return own.some(({ name, match }) => textsDiffer(root.find((outer) => outer.name === name)?.match, match));
}

function mergeNamed(root: readonly NamedMatch[], own: readonly NamedMatch[]): readonly NamedMatch[] {
  const names = new Set(own.map(({ name }) => name));
  return [...root.filter(({ name }) => !names.has(name)), ...own].toSorted((a, b) => compareTexts(a.name, b.name));
}

function joinNames(root: string, own: string): string {
  return root === "" || own === "" ? root || own : `${root}-${own}`;
}
