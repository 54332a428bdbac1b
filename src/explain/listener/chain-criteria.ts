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

const destinationAddress: ChainCriterion = {
  rank: ({ prefixRanges }, { address }) => rangeRank(prefixRanges, address),
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

/** The end of the connection itself. Binnacle configures no reader of the PROXY protocol, so it is the caller. */
const directSource: ChainCriterion = {
  rank: ({ directSourcePrefixRanges }, { source }) => rangeRank(directSourcePrefixRanges, source),
  demand: ({ directSourcePrefixRanges }) => callersIn(directSourcePrefixRanges),
};

const sourceType: ChainCriterion = {
  rank: ({ sourceType: wanted }, { source, address }) => {
    if (wanted === SourceType.ANY) return 1;
    if (source === undefined) return 0;
    const isLocal = source === address || source === "127.0.0.1" || source === "::1";
    return isLocal === (wanted === SourceType.SAME_IP_OR_LOOPBACK) ? 2 : 0;
  },
  demand: ({ sourceType: wanted }) => {
    if (wanted === SourceType.ANY) return "";
    return wanted === SourceType.EXTERNAL ? "callers of other addresses" : "callers of the same address";
  },
};

const sourceAddress: ChainCriterion = {
  rank: ({ sourcePrefixRanges }, { source }) => rangeRank(sourcePrefixRanges, source),
  demand: ({ sourcePrefixRanges }) => callersIn(sourcePrefixRanges),
};

/** The port of the caller is unknown, so only chains for every port match. */
const sourcePort: ChainCriterion = {
  rank: ({ sourcePorts }) => (sourcePorts.length === 0 ? 1 : 0),
  demand: ({ sourcePorts }) => (sourcePorts.length === 0 ? "" : "certain ports of callers"),
};

/** The later criteria, in Envoy's order. */
export const chainCriteria: readonly ChainCriterion[] = [
  destinationAddress,
  serverName,
  transportProtocol,
  applicationProtocol,
  directSource,
  sourceType,
  sourceAddress,
  sourcePort,
];

/** `*.example.com` matches all names below example.com. */
function nameRank(wanted: string, name: string): number {
  if (wanted === name) return Number.POSITIVE_INFINITY;
  return wanted.startsWith("*.") && name.length > wanted.length - 1 && name.endsWith(wanted.slice(1))
    ? wanted.length
    : 0;
}

/** No range is the same as a range of every address. An unknown address is in no range. */
function rangeRank(ranges: readonly CidrRange[], address: string | undefined): number {
  if (ranges.length === 0) return 1;
  if (address === undefined) return 0;
  return largest(ranges.map((range) => (holdsAddress(range, address) ? 1 + (range.prefixLen ?? 0) : 0)));
}

function callersIn(ranges: readonly CidrRange[]): string {
  return ranges.length === 0 ? "" : `callers from ${ranges.map(rangeText).join(", ")}`;
}

function rangeText({ addressPrefix, prefixLen = 0 }: CidrRange): string {
  return `${addressPrefix}/${prefixLen}`;
}
