import { create } from "@bufbuild/protobuf";
import {
  type FilterChain,
  type FilterChainMatch,
  FilterChainMatchSchema,
} from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { append } from "../../lib/append.ts";
import { largest } from "../../lib/extremes.ts";
import { ownersIn } from "../envoy-config.ts";
import { chosen, type PassedOver, refused, type StageResult } from "../explanation.ts";
import { type ChainCriterion, chainCriteria, destinationPort } from "./chain-criteria.ts";
import type { InspectedConnection } from "./inspect-connection.ts";

/**
 * Chooses the filter chain of a connection. Each criterion keeps the most specific matching chains, or the chains
 * without a condition if no other matches. A decision of a criterion is final. If a later criterion leaves no chain,
 * the default chain serves the connection, or no chain does.
 */
export function chooseChain(listener: Listener, connection: InspectedConnection): StageResult<FilterChain> {
  if (listener.filterChainMatcher !== undefined) {
    return {
      type: "unknown",
      reason: `${listener.name} has a matcher tree, which explain does not evaluate`,
    };
  }
  // Chains for other ports are no alternatives, so they are not reported.
  let left = fitting(listener.filterChains.map(candidate), destinationPort, connection);
  const passedOver: PassedOver[] = [];
  for (const criterion of chainCriteria) {
    const stay = fitting(left, criterion, connection);
    append(
      passedOver,
      left.filter((one) => !stay.includes(one)).map((one) => lostTo(criterion, one)),
    );
    left = stay;
  }
  const [first] = left;
  if (first !== undefined) return choice(first, demandsOf(first.match), passedOver);
  const { defaultFilterChain } = listener;
  const reason = `takes ${inWords(connection)}`;
  if (defaultFilterChain === undefined) return refused(`no filter chain of ${listener.name} ${reason}`, { passedOver });
  const name = defaultFilterChain.name || "defaultFilterChain";
  return choice({ ...candidate(defaultFilterChain, 0), name }, `no other chain ${reason}`, passedOver);
}

interface Candidate {
  readonly chain: FilterChain;
  readonly name: string;
  readonly match: FilterChainMatch;
}

const everything = create(FilterChainMatchSchema);

function candidate(chain: FilterChain, index: number): Candidate {
  return { chain, name: chain.name || `filterChains[${index}]`, match: chain.filterChainMatch ?? everything };
}

function fitting(
  candidates: readonly Candidate[],
  { rank }: ChainCriterion,
  connection: InspectedConnection,
): readonly Candidate[] {
  const ranks = candidates.map(({ match }) => rank(match, connection));
  const best = Math.max(1, largest(ranks));
  return candidates.filter((_, index) => ranks[index] === best);
}

function choice({ chain, name }: Candidate, why: string, passedOver: readonly PassedOver[]): StageResult<FilterChain> {
  const owners = ownersIn(chain.metadata);
  return chosen(chain, { type: "filter chain", name, why, passedOver, owners });
}

function lostTo({ demand }: ChainCriterion, { name, match }: Candidate): PassedOver {
  const wanted = demand(match);
  return { name, why: wanted === "" ? "another chain matches more precisely" : `it is for ${wanted}` };
}

function demandsOf(match: FilterChainMatch): string {
  const demands = [destinationPort, ...chainCriteria].map(({ demand }) => demand(match)).filter((text) => text !== "");
  return demands.length === 0 ? "it takes every connection" : `it is for ${demands.join(", ")}`;
}

function inWords({ port, transportProtocol, serverName, applicationProtocols }: InspectedConnection): string {
  const transport = transportProtocol === "tls" ? "TLS" : "plaintext";
  const name = serverName === "" ? "" : ` for ${serverName}`;
  const protocols = applicationProtocols.length === 0 ? "" : ` with protocol ${applicationProtocols.join(", ")}`;
  return `${transport}${name}${protocols} on port ${port}`;
}
