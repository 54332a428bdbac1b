import type {
  RouteAction_HashPolicy as HashPolicy,
  RouteAction_RequestMirrorPolicy as MirrorPolicy,
  RetryPolicy,
  Route,
  RouteAction,
  VirtualHost,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import { durationText, percentOf } from "../quantities.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { faultNotes } from "./injected-faults.ts";
import { rewriteByRegex, rewritePrefix } from "./path-rewrite.ts";

/** The effects of a route on a request, beside forwarding. Empty for routes that answer directly. */
export function notesOf(route: Route, host: VirtualHost, request: SimulatedRequest): readonly string[] {
  const faults = faultNotes(route.typedPerFilterConfig, host.typedPerFilterConfig);
  if (route.action.case !== "route") return faults;
  const action = route.action.value;
  const retries = action.retryPolicy ?? host.retryPolicy;
  const mirrors = action.requestMirrorPolicies.length > 0 ? action.requestMirrorPolicies : host.requestMirrorPolicies;
  return [
    ...faults,
    ...pathNotes(action, route, request),
    ...hostNotes(action),
    ...timeoutNotes(action),
    ...(retries === undefined ? [] : [retryNote(retries)]),
    ...mirrors.map(mirrorNote),
    ...action.hashPolicy.map(hashNote),
  ];
}

function pathNotes(action: RouteAction, { match }: Route, request: SimulatedRequest): readonly string[] {
  const { prefixRewrite, regexRewrite, pathRewritePolicy } = action;
  if (prefixRewrite !== "") return [`the path becomes ${rewritePrefix(match, prefixRewrite, request)}`];
  if (regexRewrite !== undefined) return [`the path becomes ${rewriteByRegex(regexRewrite, request)}`];
  return pathRewritePolicy === undefined ? [] : ["an extension rewrites the path"];
}

function hostNotes({ hostRewriteSpecifier: rewrite, clusterSpecifier }: RouteAction): readonly string[] {
  const ofClusters =
    clusterSpecifier.case === "weightedClusters"
      ? clusterSpecifier.value.clusters.flatMap(({ name, hostRewriteSpecifier }) =>
          hostRewriteSpecifier.case === undefined ? [] : [`the host becomes ${hostRewriteSpecifier.value} for ${name}`],
        )
      : [];
  return [...ofRoute(rewrite), ...ofClusters];
}

function ofRoute(rewrite: RouteAction["hostRewriteSpecifier"]): readonly string[] {
  switch (rewrite.case) {
    case "hostRewriteLiteral":
      return [`the host becomes ${rewrite.value}`];
    case "autoHostRewrite":
      return rewrite.value.value ? ["the host becomes the name of the endpoint"] : [];
    case "hostRewriteHeader":
      return [`the host becomes the value of header ${rewrite.value}`];
    case "hostRewritePathRegex":
      return ["the host is derived from the path"];
    case undefined:
    default:
      return [];
  }
}

/** 0 disables the timeout. gRPC clients support only the maximum stream duration, and have no timeout without it. */
function timeoutNotes({ timeout, maxStreamDuration }: RouteAction): readonly string[] {
  const limit = timeout ?? maxStreamDuration?.maxStreamDuration;
  if (limit === undefined) return [];
  const text = durationText(limit);
  return [text === "0s" ? "no timeout" : `timeout ${text}`];
}

function retryNote({ numRetries = 1, retryOn, perTryTimeout, retriableStatusCodes }: RetryPolicy): string {
  const codes = retriableStatusCodes.length === 0 ? "" : ` (${retriableStatusCodes.join(", ")})`;
  const each = perTryTimeout === undefined ? "" : `, ${durationText(perTryTimeout)} for each try`;
  return `up to ${numRetries} ${numRetries === 1 ? "retry" : "retries"} on ${retryOn.split(",").join(", ")}${codes}${each}`;
}

function mirrorNote({ cluster, clusterHeader, runtimeFraction }: MirrorPolicy): string {
  const name = cluster || `the cluster in header ${clusterHeader}`;
  return `a copy of ${percentOf(runtimeFraction?.defaultValue, "100%")} goes to ${name}`;
}

function hashNote({ policySpecifier }: HashPolicy): string {
  return `requests stay with an endpoint by ${hashKey(policySpecifier)}`;
}

function hashKey(key: HashPolicy["policySpecifier"]): string {
  switch (key.case) {
    case "header":
      return `header ${key.value.headerName}`;
    case "cookie":
      return `cookie ${key.value.name}`;
    case "queryParameter":
      return `query parameter ${key.value.name}`;
    case "connectionProperties":
      return "the client's address";
    case "filterState":
    case undefined:
    default:
      return "the state of a filter";
  }
}
