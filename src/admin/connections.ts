import { json, type Route } from "./route.ts";
import type { PilotState } from "./state.ts";

export function connections({ connections }: Pick<PilotState, "connections">): Route {
  return {
    path: "/debug/connections",
    doc: "every stream, and what it asks for",
    answer() {
      const clients = Array.from(connections(), ({ id, client, mode, subscriptions }) => ({
        connection: id,
        node: client.nodeId,
        mode,
        watches: Object.fromEntries(
          subscriptions.map(({ type, wildcard, names }) => [type.typeUrl, { wildcard, names: [...names].toSorted() }]),
        ),
      }));
      return json({ total: clients.length, clients });
    },
  };
}
