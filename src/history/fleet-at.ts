import { parseJson } from "../lib/parse-json.ts";
import {
  type FleetRecord,
  fleetAfter,
  type Lags,
  type LoggedProxy,
  type ProxyRecord,
  parseExtensions,
  parseProxyRecord,
} from "./fleet.ts";
import { readChanges, type Segment, type UnreadChange } from "./segment.ts";

/** A connected proxy, and how far it was behind. */
export interface ProxyAt extends LoggedProxy {
  readonly lags: Lags;
}

/** The proxies that were connected at a time. */
export interface FleetAt {
  /** The last moment that had been pushed. */
  readonly moment: number;
  /** The time of the last change among the proxies. */
  readonly at: number;
  readonly proxies: ReadonlyMap<string, ProxyAt>;
}

/** Undefined if a segment has no record that early. */
export function fleetIn(
  { proxies: records }: Segment,
  isBefore: (change: FleetRecord & Pick<UnreadChange, "after">) => boolean,
): FleetAt | undefined {
  const state = fleetAfter(readChanges(records).filter(isBefore));
  if (state === undefined) return undefined;
  const described = records.described.flatMap((json) => parseProxyRecord(parseJson(json)) ?? []);
  const byNumber = new Map(described.map((each) => [each.proxy, each]));
  const lists = new Map<string, readonly string[]>();
  const extensionsOf = ({ extensions: id }: ProxyRecord) => {
    const list = lists.get(id) ?? parseExtensions(parseJson(records.extensions.get(id) ?? "")) ?? [];
    lists.set(id, list);
    return list;
  };
  const proxies = state.lags.entries().flatMap(([number, lags]): readonly (readonly [string, ProxyAt])[] => {
    const found = byNumber.get(number);
    if (found === undefined) return [];
    const { nodeId, facts } = found;
    return [[nodeId, { nodeId, facts, extensions: extensionsOf(found), lags }]];
  });
  return { moment: state.moment, at: state.at, proxies: new Map(proxies) };
}

/** Whether the server had just started, or had lost changes: then it knew no proxies. */
export function beginsAnew({ head, moments }: Segment): boolean {
  return moments[0]?.number === head.number;
}
