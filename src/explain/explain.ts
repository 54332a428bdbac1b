import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { VirtualHost_TlsRequirementType as TlsRequirement } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { append } from "../lib/append.ts";
import type { PeerAt } from "./cluster/endpoint-peer.ts";
import { reachCluster } from "./cluster/reach-cluster.ts";
import type { EnvoyConfig } from "./envoy-config.ts";
import {
  type ClusterShare,
  type ClusterStep,
  type Decider,
  type Explanation,
  type ExplanationStep,
  type RequestOutcome,
  refused,
} from "./explanation.ts";
import { apiManagerOf } from "./listener/api-listener.ts";
import { chooseChain } from "./listener/choose-chain.ts";
import { type Arrival, chooseListener } from "./listener/choose-listener.ts";
import { endsTls, tlsRefusal, trustDoubts } from "./listener/downstream-tls.ts";
import { inspectConnection } from "./listener/inspect-connection.ts";
import { tcpTargetsOf, terminalFilterOf } from "./listener/terminal-filter.ts";
import { answerOfFilters } from "./route/answer-of-filters.ts";
import { chooseRoute } from "./route/choose-route.ts";
import { chooseRoutes } from "./route/choose-routes.ts";
import { chooseVirtualHost } from "./route/choose-virtual-host.ts";
import { redirectToTls } from "./route/redirect-outcome.ts";
import { outcomeOf } from "./route/route-action.ts";
import { type SimulatedRequest, schemeOf } from "./simulated-request.ts";
import type { SignedBy } from "./trust.ts";

export type { EnvoyConfig as ProxyConfig } from "./envoy-config.ts";

/**
 * Explains where a request goes and why. Walks the configuration as Envoy does: listener, filter chain, route, cluster.
 * Follows the connection to the next proxy as far as the TLS handshake needs it. Runtime state is left out: load
 * balancing, health checks, chance.
 */
export function explain(config: EnvoyConfig, request: SimulatedRequest, around: ExplainContext = {}): Explanation {
  const steps: ExplanationStep[] = [];
  const outcome = walk(config, request, steps, around);
  return { steps, outcome, decidedBy: decidersOf(steps, outcome) };
}

/** A refused connection never gets to the policies about requests: only the mode of mTLS can be the reason. */
function decidersOf(steps: readonly ExplanationStep[], outcome: RequestOutcome): readonly Decider[] {
  if (outcome.type !== "refused" || outcome.status !== undefined) return [];
  const [listener] = steps;
  const policies = listener?.owners.filter((owner) => owner.startsWith("PeerAuthentication/")) ?? [];
  return policies.map((object) => ({ object }));
}

/** Known facts beside the configuration of the proxy itself. */
export interface ExplainContext {
  /** Finds the receiver of the proxy's connections. Without it, every connection counts as successful. */
  readonly peerAt?: PeerAt | undefined;
  /** Reads certificate files. Without it, trust cannot be decided. */
  readonly signedBy?: SignedBy | undefined;
  /** The time at which tokens are judged, in seconds since 1970. Without it, expiry is not checked. */
  readonly nowSeconds?: number | undefined;
}

function walk(
  config: EnvoyConfig,
  request: SimulatedRequest,
  steps: ExplanationStep[],
  { peerAt, signedBy }: ExplainContext,
): RequestOutcome {
  const arrival = chooseListener(config, request);
  if (arrival.type !== "chosen") return arrival;
  steps.push(arrival.step);

  const outcome = connect({ ...config, signedBy }, arrival.value, request, steps);
  if (outcome.type !== "forwarded") return outcome;
  const routed = steps.some(({ type }) => type === "route");
  // The proxy at the other end decides only whether it accepts the connection, not where it forwards it.
  const follow = (peer: EnvoyConfig, arriving: SimulatedRequest) => explain(peer, arriving, { signedBy });
  const way = { arrival: arrival.value, request, routed, peerAt, follow };
  const reached = outcome.targets.map((target) => reachCluster(config, target, way));
  append(steps, reached);
  return arrived(reached, routed);
}

function connect(
  config: EnvoyConfig & Pick<ExplainContext, "signedBy">,
  arrival: Arrival,
  request: SimulatedRequest,
  steps: ExplanationStep[],
): RequestOutcome {
  const manager = apiManagerOf(arrival.listener);
  if (manager !== undefined) return walkRoutes(config, manager, request, steps);
  const chain = chooseChain(arrival.listener, inspectConnection(arrival, request));
  if (chain.type !== "chosen") return chain;
  const { signedBy } = config;
  const doubts = trustDoubts(chain.value, request, signedBy);
  steps.push({ ...chain.step, notes: [...chain.step.notes, ...doubts] });
  return tlsRefusal(chain.value, request, { config, signedBy }) ?? serve(config, chain.value, request, steps);
}

/** The result of the terminal filter of the chain. */
function serve(
  config: EnvoyConfig,
  chain: FilterChain,
  request: SimulatedRequest,
  steps: ExplanationStep[],
): RequestOutcome {
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
      return refused(
        request.protocol === "tls"
          ? "the handshake fails: the filter chain serves plaintext, and the client speaks TLS"
          : "the filter chain serves HTTP, and the client does not speak it",
      );
    case undefined:
    default:
      return { type: "unknown", reason: "explain does not know the last filter of the filter chain" };
  }
}

function walkRoutes(
  config: EnvoyConfig,
  manager: HttpConnectionManager,
  request: SimulatedRequest,
  steps: ExplanationStep[],
): RequestOutcome {
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

/** Inside TLS that the proxy terminates, the expected protocol is assumed. */
function speaksHttp(chain: FilterChain, { protocol = "http" }: SimulatedRequest): boolean {
  return protocol === "tls" ? endsTls(chain) : protocol !== "tcp";
}

/** Refused if every cluster fails: with a status for HTTP, else by closing the connection. */
function arrived(clusters: readonly ClusterStep[], routed: boolean): RequestOutcome {
  const failures = clusters.flatMap(({ name, problem }) => (problem === undefined ? [] : `cluster ${name} ${problem}`));
  if (failures.length === clusters.length) return refused(failures.join("; "), routed ? { status: 503 } : {});
  const targets = clusters.map(({ name, share, problem }): ClusterShare => {
    return problem === undefined ? { cluster: name, share } : { cluster: name, share, problem };
  });
  return { type: "forwarded", targets };
}
