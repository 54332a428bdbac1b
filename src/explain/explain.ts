import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { VirtualHost_TlsRequirementType as TlsRequirement } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ConfigId } from "../config/config.ts";
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
import type { GuardContext } from "./policy/guard.ts";
import { type GuardedRequest, guardConnection, guardRequest } from "./policy/guards.ts";
import type { JudgedRequest } from "./policy/judged-request.ts";
import { receivedConnection, receivedRequest } from "./policy/received-request.ts";
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
  const way: Way = { config, around, steps: [], deciders: [] };
  const outcome = walk(way, request);
  return { steps: way.steps, outcome, decidedBy: way.deciders };
}

/** Known facts beside the configuration of the proxy itself. */
export interface ExplainContext extends GuardContext {
  /** Finds the receiver of the proxy's connections. Without it, every connection counts as successful. */
  readonly peerAt?: PeerAt | undefined;
  /** Reads certificate files. Without it, trust cannot be decided. */
  readonly signedBy?: SignedBy | undefined;
}

/** The walk so far. */
interface Way {
  readonly config: EnvoyConfig;
  readonly around: ExplainContext;
  readonly steps: ExplanationStep[];
  deciders: readonly Decider[];
}

function walk(way: Way, request: SimulatedRequest): RequestOutcome {
  const { config, around, steps } = way;
  const arrival = chooseListener(config, request);
  if (arrival.type !== "chosen") return arrival;
  steps.push(arrival.step);

  const outcome = connect(way, arrival.value, request);
  if (outcome.type !== "forwarded") return outcome;
  const routed = steps.some(({ type }) => type === "route");
  // The proxy at the other end decides only whether it accepts the connection, not where it forwards it.
  const { peerAt, ...rest } = around;
  const follow = (peer: EnvoyConfig, arriving: SimulatedRequest) => explain(peer, arriving, rest);
  const target = { arrival: arrival.value, request, routed, peerAt, follow };
  const reached = outcome.targets.map((share) => reachCluster(config, share, target));
  append(steps, reached);
  way.deciders = reached.find(({ decidedBy = [] }) => decidedBy.length > 0)?.decidedBy ?? way.deciders;
  return arrived(reached, routed);
}

function connect(way: Way, arrival: Arrival, request: SimulatedRequest): RequestOutcome {
  const { config, around, steps } = way;
  const manager = apiManagerOf(arrival.listener);
  const connection = receivedConnection(request, arrival);
  if (manager !== undefined) return walkRequest(way, manager, connection);
  const chain = chooseChain(arrival.listener, inspectConnection(arrival, request));
  if (chain.type !== "chosen") return byPeerAuthentication(way, chain);
  const { signedBy } = around;
  const doubts = trustDoubts(chain.value, request, signedBy);
  steps.push({ ...chain.step, notes: [...chain.step.notes, ...doubts] });
  const refusal = tlsRefusal(chain.value, request, { config, signedBy });
  if (refusal !== undefined) return byPeerAuthentication(way, refusal);
  const guarded = guardConnection(chain.value, connection, ownersOfListener(way), around);
  return judgedBy(way, guarded) ?? serve(way, chain.value, guarded.judged);
}

/** Whether a connection is TLS is decided by the mode of mTLS. */
function byPeerAuthentication(way: Way, outcome: RequestOutcome): RequestOutcome {
  const policies = ownersOfListener(way).filter((owner) => owner.startsWith("PeerAuthentication/"));
  way.deciders = policies.map((object) => ({ object }));
  return outcome;
}

function ownersOfListener({ steps: [listener] }: Way): readonly ConfigId[] {
  return listener?.owners ?? [];
}

/** Adds the judgement of filters to the walk. Undefined if the request passes. */
function judgedBy(way: Way, { steps, deciders, outcome }: GuardedRequest): RequestOutcome | undefined {
  append(way.steps, steps);
  if (deciders.length > 0) way.deciders = deciders;
  return outcome;
}

/** The result of the terminal filter of the chain. */
function serve(way: Way, chain: FilterChain, connection: JudgedRequest): RequestOutcome {
  const terminal = terminalFilterOf(chain);
  const { request } = connection;
  switch (terminal?.type) {
    case "tcp": {
      const targets = tcpTargetsOf(terminal.proxy);
      return targets.length === 0
        ? refused("no cluster of the TCP proxy has a weight")
        : { type: "forwarded", targets };
    }
    case "http":
      if (speaksHttp(chain, request)) return walkRequest(way, terminal.manager, connection);
      return byPeerAuthentication(
        way,
        refused(
          request.protocol === "tls"
            ? "the handshake fails: the filter chain serves plaintext, and the client speaks TLS"
            : "the filter chain serves HTTP, and the client does not speak it",
        ),
      );
    case undefined:
    default:
      return { type: "unknown", reason: "explain does not know the last filter of the filter chain" };
  }
}

/** Filters judge a request before its route does anything, also a request without a route. */
function walkRequest(way: Way, manager: HttpConnectionManager, connection: JudgedRequest): RequestOutcome {
  const received = receivedRequest(connection, manager);
  if ("outcome" in received) return received.outcome;
  const guarded = guardRequest(manager, received, ownersOfListener(way), way.around);
  return judgedBy(way, guarded) ?? walkRoutes(way, manager, guarded.judged);
}

function walkRoutes(
  { config, steps }: Way,
  manager: HttpConnectionManager,
  { request }: JudgedRequest,
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
  if (failures.length === clusters.length)
    return refused(failures.join("; "), routed ? { status: statusOf(clusters) } : {});
  const targets = clusters.map(({ name, share, problem }): ClusterShare => {
    return problem === undefined ? { cluster: name, share } : { cluster: name, share, problem };
  });
  return { type: "forwarded", targets };
}

/** Without a connection there is no other answer than 503. */
function statusOf(clusters: readonly ClusterStep[]): number {
  const statuses = new Set(clusters.map(({ status }) => status));
  const [only] = statuses;
  return statuses.size === 1 && only !== undefined ? only : 503;
}
