import type { DirectResponseAction, Route, RouteAction } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { type RequestOutcome, refused } from "../explanation.ts";
import { clusterSharesOf } from "../shares.ts";
import { headerOf, type SimulatedRequest } from "../simulated-request.ts";
import { redirectTo } from "./redirect-outcome.ts";

/** The outcome of a matched route for the request, up to the choice of a cluster. */
export function outcomeOf({ action, match }: Route, request: SimulatedRequest): RequestOutcome {
  switch (action.case) {
    case "route":
      return forward(action.value, request);
    case "redirect":
      return redirectTo(action.value, match, request);
    case "directResponse":
      return respond(action.value);
    case "nonForwardingAction":
      return { type: "accepted", reason: "the gRPC server handles the request itself" };
    case "filterAction":
      return { type: "unknown", reason: "the route leaves the request to a filter" };
    case undefined:
    default:
      return refused("the route has no action");
  }
}

function forward({ clusterSpecifier }: RouteAction, request: SimulatedRequest): RequestOutcome {
  switch (clusterSpecifier.case) {
    case "cluster":
      return { type: "forwarded", targets: [{ cluster: clusterSpecifier.value, share: 1 }] };
    case "clusterHeader":
      return forwardByHeader(clusterSpecifier.value, request);
    case "weightedClusters": {
      const clusters = clusterSpecifier.value.clusters.map(({ name, clusterHeader, weight = 0 }) => ({
        name: name || (headerOf(request, clusterHeader) ?? ""),
        weight,
      }));
      const targets = clusterSharesOf(clusters);
      return targets.length === 0 ? refused("no cluster of the route has a weight") : { type: "forwarded", targets };
    }
    case "clusterSpecifierPlugin":
    case "inlineClusterSpecifierPlugin":
      return { type: "unknown", reason: "an extension chooses the cluster" };
    case undefined:
    default:
      return refused("the route names no cluster");
  }
}

function forwardByHeader(name: string, request: SimulatedRequest): RequestOutcome {
  const cluster = headerOf(request, name);
  if (cluster === undefined) return refused(`header ${name}, which names the cluster, is missing`, { status: 503 });
  return { type: "forwarded", targets: [{ cluster, share: 1 }] };
}

function respond({ status, body }: DirectResponseAction): RequestOutcome {
  const text = body?.specifier.case === "inlineString" ? body.specifier.value : "";
  return { type: "response", status, body: text };
}
