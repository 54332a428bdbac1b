import type { ConfigId, Origin } from "../config/config.ts";
import { type Conflict, mergeConflicts } from "../pilot/model/conflict.ts";
import type { Proxy } from "../pilot/model/proxy.ts";
import { type Answer, json, type Route, text } from "./route.ts";

export interface ConflictState {
  readonly proxies: () => Iterable<Proxy>;
  /** In what these proxies are sent. */
  readonly conflictsAmong: (proxies: Iterable<Proxy>) => Iterable<readonly Conflict[]>;
  readonly originOf: (id: ConfigId) => Origin | undefined;
}

export function conflicts(state: ConflictState): Route {
  return {
    path: "/debug/conflicts",
    doc: "what several objects ask for and one has, with the reason; ?proxyID=NODE for what shows in one proxy",
    answer: (query) => answerFrom([...state.proxies()], query, state),
    answerWithin: (namespace, query) =>
      answerFrom(
        [...state.proxies()].filter((proxy) => proxy.namespace === namespace),
        query,
        state,
      ),
  };
}

function answerFrom(proxies: readonly Proxy[], query: URLSearchParams, state: ConflictState): Answer {
  const wanted = query.get("proxyID") ?? "";
  const meant = wanted === "" ? proxies : proxies.filter(({ nodeId, id }) => nodeId === wanted || id === wanted);
  if (wanted !== "" && meant.length === 0) return text(`${wanted} is not connected to this server`, 404);
  const found = mergeConflicts([...state.conflictsAmong(meant)].flat());
  return json({ proxies: meant.length, conflicts: found.map((conflict) => placedIn(conflict, state)) });
}

/** With the places where the objects stand now. */
function placedIn({ type, about, winner, losers, reason }: Conflict, { originOf }: ConflictState) {
  const placed = (id: ConfigId) => ({ object: id, reference: originOf(id)?.reference ?? "" });
  return { type, about, winner: winner === undefined ? null : placed(winner), losers: losers.map(placed), reason };
}
