import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { VirtualHost_TlsRequirementType as TlsRequirement } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { append } from "../lib/append.ts";
import { reachCluster } from "./cluster/reach-cluster.ts";
import { type ClusterStep, type Explanation, type Outcome, refused, type Step, type Target } from "./explanation.ts";
import { apiManagerOf } from "./listener/api-listener.ts";
import { chooseChain } from "./listener/choose-chain.ts";
import { type Arrival, chooseListener } from "./listener/choose-listener.ts";
import { endsTls, tlsRefusal } from "./listener/downstream-tls.ts";
import { inspectConnection } from "./listener/inspect-connection.ts";
import { tcpTargetsOf, terminalFilterOf } from "./listener/terminal-filter.ts";
import type { ProxyConfig } from "./proxy-config.ts";
import { type Request, schemeOf } from "./request.ts";
import { answerOfFilters } from "./route/answer-of-filters.ts";
import { chooseRoute } from "./route/choose-route.ts";
import { chooseRoutes } from "./route/choose-routes.ts";
import { chooseVirtualHost } from "./route/choose-virtual-host.ts";
import { redirectToTls } from "./route/redirect.ts";
import { outcomeOf } from "./route/route-action.ts";

export type { ProxyConfig } from "./proxy-config.ts";

/**
 * Where would this request go, and why? Walks the configuration as Envoy would: listener, filter chain, route, cluster.
 * Left out is what only a running proxy knows: load balancing, health it found itself, chance.
 */
export function explain(config: ProxyConfig, request: Request): Explanation {
  const steps: Step[] = [];
  const outcome = walk(config, request, steps);
  return { steps, outcome };
}

function walk(config: ProxyConfig, request: Request, steps: Step[]): Outcome {
  const arrival = chooseListener(config, request);
  if (arrival.type !== "chosen") return arrival;
  steps.push(arrival.step);

  const outcome = connect(config, arrival.value, request, steps);
  if (outcome.type !== "forwarded") return outcome;
  const reached = outcome.targets.map((target) => reachCluster(config, target, arrival.value, request));
  const routed = steps.some(({ type }) => type === "route");
  append(steps, reached);
  return arrived(reached, routed);
}

function connect(config: ProxyConfig, arrival: Arrival, request: Request, steps: Step[]): Outcome {
  const manager = apiManagerOf(arrival.listener);
  if (manager !== undefined) return walkRoutes(config, manager, request, steps);
  const chain = chooseChain(arrival.listener, inspectConnection(arrival, request));
  if (chain.type !== "chosen") return chain;
  steps.push(chain.step);
  return tlsRefusal(chain.value, request) ?? serve(config, chain.value, request, steps);
}

/** What the filter at the end of the chain makes of the connection. */
function serve(config: ProxyConfig, chain: FilterChain, request: Request, steps: Step[]): Outcome {
  const terminal = terminalFilterOf(chain);
  switch (terminal?.type) {
    case "tcp": {
      const targets = tcpTargetsOf(terminal.proxy);
      return targets.length === 0
        ? refused("no cluster of the TCP proxy has a weight")
        : { type: "forwarded", targets };
    }
    case "http":
      if (speaksHttp(chain, request)) return walkRoutes(config, terminal.manager, request, steps);
      return refused("the filter chain serves HTTP, and the client does not speak it");
    case undefined:
    default:
      return { type: "unknown", reason: "the filter chain ends in a filter that is not read here" };
  }
}

function walkRoutes(config: ProxyConfig, manager: HttpConnectionManager, request: Request, steps: Step[]): Outcome {
  const routes = chooseRoutes(config, manager);
  if (routes.type !== "chosen") return routes;
  steps.push(routes.step);

  const host = chooseVirtualHost(routes.value, request);
  if (host.type !== "chosen") return host;
  steps.push(host.step);
  if (host.value.requireTls !== TlsRequirement.NONE && schemeOf(request) === "http") return redirectToTls(request);

  const route = chooseRoute(host.value, request);
  if (route.type !== "chosen") return route;
  steps.push(route.step);
  return answerOfFilters(route.value, host.value, request) ?? outcomeOf(route.value, request);
}

/** Inside TLS that the proxy ends is what it expects there. */
function speaksHttp(chain: FilterChain, { protocol = "http" }: Request): boolean {
  return protocol === "tls" ? endsTls(chain) : protocol !== "tcp";
}

/** Refused if every cluster fails: with a status where HTTP is spoken, else by closing the connection. */
function arrived(clusters: readonly ClusterStep[], routed: boolean): Outcome {
  const failures = clusters.flatMap(({ name, problem }) => (problem === undefined ? [] : `cluster ${name} ${problem}`));
  if (failures.length === clusters.length) return refused(failures.join("; "), routed ? { status: 503 } : {});
  const targets = clusters.map(({ name, share, problem }): Target => {
    return problem === undefined ? { cluster: name, share } : { cluster: name, share, problem };
  });
  return { type: "forwarded", targets };
}
