import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ConfigId } from "../config/config.ts";
import { append } from "../lib/append.ts";
import type { PeerAt } from "./cluster/endpoint-peer.ts";
import { reachCluster } from "./cluster/reach-cluster.ts";
import { clusterNamed, type EnvoyConfig } from "./envoy-config.ts";
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
import { itemOf, type Place, patchersIn, patchersOf, removersOf, within } from "./patched-place.ts";
import type { GuardContext } from "./policy/guard.ts";
import { type GuardedListener, type GuardedRequest, guardConnection, guardRequest } from "./policy/guards.ts";
import type { JudgedRequest } from "./policy/judged-request.ts";
import { receivedConnection, receivedRequest } from "./policy/received-request.ts";
import { answerOfFilters } from "./route/answer-of-filters.ts";
import { findRoute, type RouteSearch } from "./route/find-route.ts";
import { outcomeOf } from "./route/route-action.ts";
import type { SimulatedRequest } from "./simulated-request.ts";
import type { SignedBy } from "./trust.ts";

export type { WholeEnvoyConfig as ProxyConfig } from "./envoy-config.ts";

/**
 * Explains where a request goes and why. Walks the configuration as Envoy does: listener, filter chain, route, cluster.
 * Follows the connection to the next proxy as far as the TLS handshake needs it. Runtime state is left out: load
 * balancing, health checks, chance.
 */
export function explain(config: EnvoyConfig, request: SimulatedRequest, around: ExplainContext = {}): Explanation {
  const way: Way = { config, around, steps: [], deciders: [], routers: [] };
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
  /** The policies that decide so far, or the patches that made or changed the part that ends the walk. */
  deciders: readonly Decider[];
  /** The patches that made or changed the part that forwards the request. */
  routers: readonly Decider[];
}

function walk(way: Way, request: SimulatedRequest): RequestOutcome {
  const { config, around, steps } = way;
  const arrival = chooseListener(config, request);
  if (arrival.type !== "chosen") {
    way.deciders = removersOf(config, "listener", (name) => mayListen(name, request));
    return arrival;
  }
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
  const ofPeer = reached.find(({ decidedBy = [] }) => decidedBy.length > 0)?.decidedBy;
  const ofClusters = reached.flatMap(({ name }) => patchersOfCluster(config, name));
  way.deciders = distinct([...(ofPeer ?? way.deciders), ...way.routers, ...ofClusters]);
  return arrived(reached, routed);
}

/** Names of listeners end with their port, unless an EnvoyFilter chose the name. */
function mayListen(name: string, { port }: SimulatedRequest): boolean {
  const [, own] = /_(\d+)$/u.exec(name) ?? [];
  return own === undefined || Number(own) === port;
}

function patchersOfCluster(config: EnvoyConfig, name: string): readonly Decider[] {
  if (clusterNamed(config, name) !== undefined) {
    return patchersOf(config, { type: "cluster", resource: name, path: "" });
  }
  return removersOf(config, "cluster", (removed) => removed === name);
}

function distinct(deciders: readonly Decider[]): readonly Decider[] {
  return [...new Map(deciders.map((each) => [`${each.object} ${each.part}`, each])).values()];
}

function connect(way: Way, arrival: Arrival, request: SimulatedRequest): RequestOutcome {
  const { config, around, steps } = way;
  const { listener } = arrival;
  const manager = apiManagerOf(listener);
  const connection = receivedConnection(request, arrival);
  const place: Place = { type: "listener", resource: listener.name, path: "" };
  if (manager !== undefined) return walkRequest(way, { manager, place }, connection);
  const chain = chooseChain(listener, inspectConnection(arrival, request));
  if (chain.type !== "chosen") return byListener(way, chain, patchersIn(config, place));
  const { signedBy } = around;
  const doubts = trustDoubts(chain.value, request, { config, signedBy });
  steps.push({ ...chain.step, notes: [...chain.step.notes, ...doubts] });
  const chainPlace = placeOfChain(chain.value, listener);
  const refusal = tlsRefusal(chain.value, request, { config, signedBy });
  if (refusal !== undefined) return byListener(way, refusal, patchersOf(config, chainPlace));
  const guarded = guardConnection(chain.value, chainPlace, connection, guardedListener(way));
  return judgedBy(way, guarded) ?? serve(way, { chain: chain.value, place: chainPlace }, guarded.judged);
}

function placeOfChain(chain: FilterChain, { name, filterChains, defaultFilterChain }: Listener): Place {
  const listener: Place = { type: "listener", resource: name, path: "" };
  if (chain === defaultFilterChain) return within(listener, "defaultFilterChain");
  return itemOf(listener, "filterChains", filterChains, chain);
}

function listenerOf(place: Place): Place {
  return { ...place, path: "" };
}

/** The mode of mTLS, or a patch, decides whether a connection is TLS. */
function byListener(way: Way, outcome: RequestOutcome, patchers: readonly Decider[]): RequestOutcome {
  const policies = ownersOfListener(way).filter((owner) => owner.startsWith("PeerAuthentication/"));
  way.deciders = [...policies.map((object) => ({ object })), ...patchers];
  return outcome;
}

function ownersOfListener({ steps: [listener] }: Way): readonly ConfigId[] {
  return listener?.owners ?? [];
}

function guardedListener(way: Way): GuardedListener {
  const { config, around: context, steps } = way;
  return { config, name: steps[0]?.name ?? "", owners: ownersOfListener(way), context };
}

/** Adds the judgement of filters to the walk. Undefined if the request passes. */
function judgedBy(way: Way, { steps, deciders, outcome }: GuardedRequest): RequestOutcome | undefined {
  append(way.steps, steps);
  if (deciders.length > 0) way.deciders = deciders;
  return outcome;
}

/** The result of the terminal filter of the chain. */
function serve(way: Way, { chain, place }: PlacedChain, connection: JudgedRequest): RequestOutcome {
  const terminal = terminalFilterOf(chain);
  const { request } = connection;
  const filter = terminal && itemOf(place, "filters", chain.filters, terminal.filter);
  const patchers = filter === undefined ? [] : patchersOf(way.config, filter);
  switch (terminal?.type) {
    case "tcp": {
      way.routers = patchers;
      const targets = tcpTargetsOf(terminal.proxy);
      return targets.length === 0
        ? refused("no cluster of the TCP proxy has a weight")
        : { type: "forwarded", targets };
    }
    case "http":
      if (speaksHttp(chain, request)) {
        return walkRequest(way, { manager: terminal.manager, place: filter ?? place }, connection);
      }
      return byListener(
        way,
        refused(
          request.protocol === "tls"
            ? "the handshake fails: the filter chain serves plaintext, and the client speaks TLS"
            : "the filter chain serves HTTP, and the client does not speak it",
        ),
        // Without a filter that recognises TLS, the listener chooses a chain for plaintext.
        [place, listenerOf(place)].flatMap((part) => patchersOf(way.config, part)),
      );
    case undefined:
    default:
      return { type: "unknown", reason: "explain does not know the last filter of the filter chain" };
  }
}

/** Filters judge a request before its route does anything, also a request without a route. */
function walkRequest(way: Way, { manager, place }: PlacedManager, connection: JudgedRequest): RequestOutcome {
  const { config } = way;
  const received = receivedRequest(connection, manager);
  if ("outcome" in received) {
    way.deciders = patchersOf(config, place);
    return received.outcome;
  }
  const routeFor = (request: SimulatedRequest) => findRoute(config, manager, place, request);
  const guarded = guardRequest(manager, place, received, guardedListener(way), routeFor);
  return judgedBy(way, guarded) ?? walkRoute(way, guarded.search, guarded.judged.request);
}

/** The result of the route. The patches that made or changed it decide if it answers itself. */
function walkRoute(way: Way, { steps, end }: RouteSearch, request: SimulatedRequest): RequestOutcome {
  append(way.steps, steps);
  if (end.type === "missed") {
    const patchers = end.place === undefined ? [] : patchersIn(way.config, end.place);
    if (patchers.length > 0) way.deciders = patchers;
    return end.outcome;
  }
  const { route, host, place } = end;
  const outcome = answerOfFilters(route, host, request) ?? outcomeOf(route, request);
  way.routers = patchersOf(way.config, place);
  if (outcome.type !== "forwarded" && way.routers.length > 0) way.deciders = way.routers;
  return outcome;
}

interface PlacedChain {
  readonly chain: FilterChain;
  readonly place: Place;
}

interface PlacedManager {
  readonly manager: HttpConnectionManager;
  /** Of the network filter that it is. */
  readonly place: Place;
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
