import type { ConfigId } from "../../../../config/config.ts";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Resource } from "../../../model/resource.ts";
import { catchAllClusterOf } from "../../cluster/catch-all-clusters.ts";
import { blackHoleCluster } from "../../cluster/cluster-name.ts";
import { listenerName } from "../listener-address.ts";
import { buildOutboundListener, type OutboundContext } from "./build-outbound-listener.ts";
import { httpProxyListener } from "./http-proxy-listener.ts";
import type { ListenerCandidate } from "./listener-candidate.ts";
import { candidateName, listenerCandidates } from "./listener-candidate.ts";
import type { OutboundListener } from "./merge-candidates.ts";
import { mergeCandidates } from "./merge-candidates.ts";
import type { ChainContext } from "./outbound-chain.ts";
import type { OutboundClient } from "./outbound-client.ts";
import { virtualOutbound } from "./virtual-outbound.ts";

/** The listeners of services before encoding; those of the given names, or all. */
export function planOutbound(context: ChainContext, names?: ReadonlySet<string>): readonly OutboundListener[] {
  const { scope, client, push } = context;
  const candidates = new Map<string, [ListenerCandidate, ...ListenerCandidate[]]>();
  for (const candidate of listenerCandidates(scope, client, push)) {
    const name = candidateName(candidate);
    if (names !== undefined && !names.has(name)) continue;
    const others = candidates.get(name);
    if (others === undefined) candidates.set(name, [candidate]);
    else others.push(candidate);
  }
  return Array.from(candidates.values(), (list) => mergeCandidates(list, context));
}

/** The names of all outbound listeners that may conflict with others, and the first owner of each. */
export function takenNames({ scope, client, push }: ChainContext): ReadonlyMap<string, ConfigId | undefined> {
  return findTakenNames([scope, push.endpoints], client);
}

const findTakenNames = memoize(
  ([scope, endpoints]: readonly [ChainContext["scope"], PushContext["endpoints"]], client: OutboundClient) => {
    const names = new Map<string, ConfigId | undefined>();
    if (client.httpProxyPort > 0) names.set(listenerName(client.localhost, client.httpProxyPort), undefined);
    for (const candidate of listenerCandidates(scope, client, { endpoints })) {
      const name = candidateName(candidate);
      if (!names.has(name)) names.set(name, candidate.service.owner);
    }
    return names;
  },
);

/** All inputs of the outbound listeners of a sidecar. */
interface ListenerContext extends ChainContext {
  readonly policies: TrafficPolicies;
}

/** Every outbound listener of a sidecar. */
export function buildOutbound(context: ListenerContext, writer: ProtoWriter): readonly Resource[] {
  const { scope, client } = context;
  const outbound = outboundContextOf(context);
  const fixed = [httpProxyListener(client, outbound, writer), virtualOutbound(scope, outbound, writer)];
  return [...buildNamed(context, writer), ...fixed.filter((resource) => resource !== undefined)];
}

/** The listeners of services: of the given names, or all. */
export function buildNamed(
  context: ListenerContext,
  writer: ProtoWriter,
  names?: ReadonlySet<string>,
): readonly Resource[] {
  const outbound = outboundContextOf(context);
  return planOutbound(context, names).map((listener) => buildOutboundListener(listener, outbound, writer));
}

function outboundContextOf(context: ListenerContext): OutboundContext {
  const { client, push, policies } = context;
  return { client, mesh: push.mesh, policies, catchAll: catchAllCluster(context) };
}

function catchAllCluster({ scope, client }: ChainContext): string {
  return catchAllClusterOf(scope.outboundPolicy, client.interception !== "none") ?? blackHoleCluster;
}
