import { type Conflict, mergeConflicts } from "../../pilot/model/conflict.ts";
import { json, type Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { proxiesOf } from "./find-proxy.ts";

/** The problems that a push found, by subject. */
export function pushStatusPage(state: Pick<PilotState, "connections" | "conflictsAmong">): Route {
  return {
    path: "/debug/push_status",
    doc: "conflicts in the last push, by type",
    answer() {
      const proxies = proxiesOf(state).map(({ client }) => client);
      const found = mergeConflicts([...state.conflictsAmong(proxies)].flat());
      const byType = Map.groupBy(found, ({ type }) => type);
      return json(Object.fromEntries(Array.from(byType, ([type, conflicts]) => [type, messagesOf(conflicts)])));
    },
  };
}

function messagesOf(conflicts: readonly Conflict[]) {
  return Object.fromEntries(
    conflicts.map(({ about, winner, losers, reason }) => [about, { winner: winner ?? null, losers, message: reason }]),
  );
}
