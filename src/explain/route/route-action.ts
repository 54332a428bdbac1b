import type { DirectResponseAction, Route, RouteAction } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { type Outcome, refused } from "../explanation.ts";
import { headerOf, type Request } from "../request.ts";
import { sharesOf } from "../shares.ts";
import { redirectTo } from "./redirect.ts";

/** The outcome of a matched route for the request, up to the choice of a cluster. */
export function outcomeOf({ action, match }: Route, request: Request): Outcome {
  switch (action.case) {
    case "route":
      return forward(action.value, request);
    case "redirect":
      return redirectTo(action.value, match, request);
    case "directResponse":
      return respond(action.value);
    case "nonForwardingAction":
      return { type: "unknown", reason: "the gRPC server serves it itself" };
    case "filterAction":
      return { type: "unknown", reason: "the route leaves the request to a filter" };
    case undefined:
    default:
      return refused("the route has no action");
  }
}

function forward({ clusterSpecifier }: RouteAction, request: Request): Outcome {
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
      const targets = sharesOf(clusters);
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

function forwardByHeader(name: string, request: Request): Outcome {
  const cluster = headerOf(request, name);
  if (cluster === undefined) return refused(`header ${name}, which names the cluster, is missing`, { status: 503 });
  return { type: "forwarded", targets: [{ cluster, share: 1 }] };
}

function respond({ status, body }: DirectResponseAction): Outcome {
  const text = body?.specifier.case === "inlineString" ? body.specifier.value : "";
  return { type: "response", status, body: text };
}
