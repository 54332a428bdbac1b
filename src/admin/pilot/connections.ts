import { json, type Route } from "../route.ts";
import type { PilotState } from "../state.ts";

export function connectionsPage({ connections, timeOf }: Pick<PilotState, "connections" | "timeOf">): Route {
  return {
    path: "/debug/connections",
    doc: "all streams, with their id, start time and peer address",
    answer() {
      const clients = Array.from(connections(), ({ id, client, mode, connectedAt, peer }) => ({
        connection: id,
        node: client.nodeId,
        mode,
        connectedAt: timeOf(connectedAt).toISOString(),
        address: peer.address,
      }));
      return json({ total: clients.length, clients });
    },
  };
}
