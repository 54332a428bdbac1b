import { cidrRangeOf, subnetId } from "./cidr.ts";

/** Which connections a filter chain takes. Empty lists, "" and 0 ask for nothing. */
export interface ChainMatch {
  readonly destinationPort: number;
  /** Subnets. */
  readonly destinations: readonly string[];
  readonly serverNames: readonly string[];
  readonly transportProtocol: "" | "raw_buffer" | "tls";
  readonly applicationProtocols: readonly string[];
}

/** Takes every connection. */
export const matchAll: ChainMatch = {
  destinationPort: 0,
  destinations: [],
  serverNames: [],
  transportProtocol: "",
  applicationProtocols: [],
};

/** What the HTTP inspector calls HTTP without TLS. */
export const plainHttp: readonly string[] = ["http/1.1", "h2c"];

export function matchesAll(match: ChainMatch): boolean {
  return chainMatchId(match) === idOfAll;
}

/** Equal for two chains that Envoy could not tell apart: it rejects a listener that has both. */
export function chainMatchId(match: ChainMatch): string {
  const { destinationPort, destinations, serverNames, transportProtocol, applicationProtocols } = match;
  const subnets = new Set(destinations.map(subnetId));
  return JSON.stringify([
    destinationPort,
    [...subnets].toSorted(),
    [...new Set(serverNames)].toSorted(),
    transportProtocol,
    applicationProtocols,
  ]);
}

const idOfAll = chainMatchId(matchAll);

/** Undefined for a chain that takes everything. */
export function filterChainMatchOf(match: ChainMatch) {
  if (matchesAll(match)) return undefined;
  return {
    destinationPort: match.destinationPort === 0 ? undefined : match.destinationPort,
    prefixRanges: match.destinations.toSorted().map(cidrRangeOf),
    serverNames: match.serverNames.toSorted(),
    transportProtocol: match.transportProtocol,
    applicationProtocols: match.applicationProtocols,
  };
}
