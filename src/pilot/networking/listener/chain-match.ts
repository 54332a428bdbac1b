import { oncePer } from "../../../lib/memo.ts";
import { cidrRangeOf, subnetId } from "./cidr.ts";
import type { ListenerSettings } from "./listener-settings.ts";

/** The match of a filter chain. Empty lists, "" and 0 match everything. */
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

/** Names of the HTTP inspector for HTTP without TLS. */
export const plainHttp: readonly string[] = ["http/1.1", "h2c"];
const plainHttpWithHttp10: readonly string[] = ["http/1.0", ...plainHttp];

/** The plain HTTP versions that the listener serves. Other versions pass through as TCP instead of being refused. */
export function plainHttpOf({ http10 }: ListenerSettings): readonly string[] {
  return http10 ? plainHttpWithHttp10 : plainHttp;
}

/** Equal for two chains that Envoy could not tell apart: it rejects a listener that has both. */
export const chainMatchId = oncePer((match: ChainMatch): string => {
  const { destinationPort, destinations, serverNames, transportProtocol, applicationProtocols } = match;
  const subnets = new Set(destinations.map(subnetId));
  const names = new Set(serverNames);
  const sets = [[...subnets].toSorted(), [...names].toSorted()];
  return JSON.stringify([destinationPort, ...sets, transportProtocol, applicationProtocols]);
});

/**
 * Removes server names that Envoy cannot match, such as `*a.com`. An item that loses all its names is removed too:
 * without a name it would match every connection.
 */
export function withMatchableNames<Item extends { readonly match: ChainMatch }>(
  items: readonly Item[],
): readonly Item[] {
  return items.flatMap((item) => {
    const names = item.match.serverNames;
    const serverNames = names.filter((name) => !/^\*[^.]/u.test(name));
    if (serverNames.length === names.length) return [item];
    return serverNames.length === 0 ? [] : [{ ...item, match: { ...item.match, serverNames } }];
  });
}

/** Removes items whose match overlaps an earlier match in every criterion: Envoy rejects a listener that has both. */
export function withoutOverlaps<Item extends { readonly match: ChainMatch }>(items: readonly Item[]): readonly Item[] {
  const taken = new Set<string>();
  return items.filter(({ match }) => {
    const ids = criteriaOf(match);
    if (ids.some((id) => taken.has(id))) return false;
    for (const id of ids) taken.add(id);
    return true;
  });
}

/** Each way in which a connection may be matched: one value of every criterion. */
function criteriaOf(match: ChainMatch): readonly string[] {
  const { destinationPort, destinations, serverNames, transportProtocol, applicationProtocols } = match;
  const lists = [destinations.map(subnetId), serverNames.map(lowerCase), applicationProtocols];
  return lists.reduce<readonly string[]>(
    (ids, list) =>
      ids.flatMap((id) => (list.length === 0 ? [""] : [...new Set(list)]).map((value) => `${id} ${value}`)),
    [`${destinationPort} ${transportProtocol}`],
  );
}

export function matchesAll(match: ChainMatch): boolean {
  return chainMatchId(match) === chainMatchId(matchAll);
}

/** Envoy ignores case, and rejects a chain with a duplicate. */
function lowerCase(name: string): string {
  return name.toLowerCase();
}

function once(values: readonly string[], idOf: (value: string) => string): string[] {
  const ids = new Set<string>();
  return values.filter((value) => ids.size < ids.add(idOf(value)).size);
}

/** Undefined for a chain that takes everything. */
export function filterChainMatchOf(match: ChainMatch) {
  if (matchesAll(match)) return undefined;
  return {
    destinationPort: match.destinationPort === 0 ? undefined : match.destinationPort,
    prefixRanges: once(match.destinations.toSorted(), subnetId).map(cidrRangeOf),
    serverNames: once(match.serverNames.toSorted(), lowerCase),
    transportProtocol: match.transportProtocol,
    applicationProtocols: match.applicationProtocols,
  };
}
