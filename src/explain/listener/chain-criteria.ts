import type { CidrRange } from "#gen/envoy/config/core/v3/address_pb.js";
import {
  type FilterChainMatch,
  FilterChainMatch_ConnectionSourceType as SourceType,
} from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { largest } from "../../lib/extremes.ts";
import { holdsAddress } from "./cidr-range.ts";
import type { InspectedConnection } from "./inspect-connection.ts";

/** One criterion of a filter chain match. */
export interface ChainCriterion {
  /** How well the chain matches: 0 not at all, 1 without a condition, more for a more specific condition. */
  readonly rank: (match: FilterChainMatch, connection: InspectedConnection) => number;
  /** The chain's condition as text. Empty without a condition. */
  readonly demand: (match: FilterChainMatch) => string;
}

/** The first of all criteria. */
export const destinationPort: ChainCriterion = {
  rank: ({ destinationPort: port }, connection) => {
    if (port === undefined) return 1;
    return port === connection.port ? 2 : 0;
  },
  demand: ({ destinationPort: port }) => (port === undefined ? "" : `port ${port}`),
};

/** No range is the same as a range of every address. */
const destinationAddress: ChainCriterion = {
  rank: ({ prefixRanges }, { address }) => {
    if (prefixRanges.length === 0) return 1;
    if (address === undefined) return 0;
    const lengths = prefixRanges.map((range) => (holdsAddress(range, address) ? 1 + (range.prefixLen ?? 0) : 0));
    return largest(lengths);
  },
  demand: ({ prefixRanges }) => prefixRanges.map(rangeText).join(", "),
};

const serverName: ChainCriterion = {
  rank: ({ serverNames }, connection) =>
    serverNames.length === 0 ? 1 : largest(serverNames.map((name) => nameRank(name, connection.serverName))),
  demand: ({ serverNames }) => (serverNames.length === 0 ? "" : `server name ${serverNames.join(", ")}`),
};

const transportProtocol: ChainCriterion = {
  rank: ({ transportProtocol: wanted }, connection) => {
    if (wanted === "") return 1;
    return wanted === connection.transportProtocol ? 2 : 0;
  },
  demand: ({ transportProtocol: wanted }) => ({ tls: "TLS", raw_buffer: "plaintext" })[wanted] ?? wanted,
};

/** The client's preferred protocol decides, not the order of the chain. */
const applicationProtocol: ChainCriterion = {
  rank: ({ applicationProtocols: wanted }, { applicationProtocols: offered }) => {
    if (wanted.length === 0) return 1;
    const first = offered.findIndex((protocol) => wanted.includes(protocol));
    return first === -1 ? 0 : 1 + offered.length - first;
  },
  demand: ({ applicationProtocols: wanted }) => (wanted.length === 0 ? "" : `protocol ${wanted.join(", ")}`),
};

/** The caller is unknown here, so only chains for every caller match. */
const source: ChainCriterion = {
  rank: (match) => (asksForSource(match) ? 0 : 1),
  demand: (match) => (asksForSource(match) ? "certain callers" : ""),
};

/** The later criteria, in Envoy's order. */
export const chainCriteria: readonly ChainCriterion[] = [
  destinationAddress,
  serverName,
  transportProtocol,
  applicationProtocol,
  source,
];

/** `*.example.com` matches all names below example.com. */
function nameRank(wanted: string, name: string): number {
  if (wanted === name) return Number.POSITIVE_INFINITY;
  return wanted.startsWith("*.") && name.length > wanted.length - 1 && name.endsWith(wanted.slice(1))
    ? wanted.length
    : 0;
}

function asksForSource(match: FilterChainMatch): boolean {
  const { directSourcePrefixRanges, sourceType, sourcePrefixRanges, sourcePorts } = match;
  const lists = [directSourcePrefixRanges, sourcePrefixRanges, sourcePorts];
  return sourceType !== SourceType.ANY || lists.some((list) => list.length > 0);
}

function rangeText({ addressPrefix, prefixLen = 0 }: CidrRange): string {
  return `${addressPrefix}/${prefixLen}`;
}
