import { namespaceOf } from "../../pilot/model/config-id.ts";
import { type Conflict, mergeConflicts } from "../../pilot/model/conflict.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { DanglingReference } from "../../pilot/model/traffic/dangling-references.ts";
import { type PageAnswer, json, type Route, text } from "../route.ts";
import type { PilotState } from "../state.ts";
import { objectWithReference } from "./object-reference.ts";

export interface ConflictState extends Pick<PilotState, "originOf" | "conflictsAmong"> {
  readonly proxies: () => Iterable<Proxy>;
  /** Of the whole mesh. */
  readonly dangling: () => readonly DanglingReference[];
}

export function conflictsPage(state: ConflictState): Route {
  return {
    path: "/debug/conflicts",
    doc: "conflicts between objects and references to missing objects, with reasons; ?proxyID=NODE for one proxy",
    answer: (query) => answerFrom([...state.proxies()], state.dangling(), query, state),
    answerWithin: (namespace, query) =>
      answerFrom(
        [...state.proxies()].filter((proxy) => proxy.namespace === namespace),
        state.dangling().filter(({ owner }) => namespaceOf(owner) === namespace),
        query,
        state,
      ),
  };
}

function answerFrom(
  proxies: readonly Proxy[],
  dangling: readonly DanglingReference[],
  query: URLSearchParams,
  state: ConflictState,
): PageAnswer {
  const wanted = query.get("proxyID") ?? "";
  const meant = wanted === "" ? proxies : proxies.filter(({ nodeId, id }) => nodeId === wanted || id === wanted);
  if (wanted !== "" && meant.length === 0) return text(`${wanted} is not connected to this server`, 404);
  const found = mergeConflicts([...state.conflictsAmong(meant)].flat());
  return json({
    proxies: meant.length,
    conflicts: found.map((conflict) => placedIn(conflict, state)),
    dangling: dangling.map(({ owner, ...reference }) => ({ ...objectWithReference(owner, state), ...reference })),
  });
}

/** Adds the current file positions of the objects. */
function placedIn({ type, about, winner, losers, reason }: Conflict, state: ConflictState) {
  return {
    type,
    about,
    winner: winner === undefined ? null : objectWithReference(winner, state),
    losers: losers.map((loser) => objectWithReference(loser, state)),
    reason,
  };
}
