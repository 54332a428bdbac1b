import { oncePer } from "../../../lib/memo.ts";
import { cidrRangeOf, subnetId } from "./cidr.ts";
import type { ListenerSettings } from "./listener-settings.ts";

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
const plainHttpOfAllAges: readonly string[] = ["http/1.0", ...plainHttp];

/** What of it is answered. What is not matched is passed on as bytes at least, in place of being refused. */
export function plainHttpOf({ http10 }: ListenerSettings): readonly string[] {
  return http10 ? plainHttpOfAllAges : plainHttp;
}

/** Equal for two chains that Envoy could not tell apart: it rejects a listener that has both. */
export const chainMatchId = oncePer((match: ChainMatch): string => {
  const { destinationPort, destinations, serverNames, transportProtocol, applicationProtocols } = match;
  const subnets = new Set(destinations.map(subnetId));
  const names = new Set(serverNames);
  const sets = [[...subnets].toSorted(), [...names].toSorted()];
  return JSON.stringify([destinationPort, ...sets, transportProtocol, applicationProtocols]);
});

export function matchesAll(match: ChainMatch): boolean {
  return chainMatchId(match) === chainMatchId(matchAll);
}

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
