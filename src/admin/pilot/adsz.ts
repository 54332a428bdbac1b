import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Connection } from "../../xds/connection.ts";
import { json, type Route, text } from "../route.ts";
import type { PilotState } from "../state.ts";
import { notConnected } from "./find-proxy.ts";

type AdszState = Pick<PilotState, "connections" | "timeOf" | "pushAll">;

/** A push needs POST, because a link on any site can cause a GET. */
export function adszPage(state: AdszState): Route {
  return {
    path: "/debug/adsz",
    doc: "all streams, with their proxies and subscriptions; ?proxyID=NODE for one proxy; POST push=true pushes everything to all proxies",
    answer(query) {
      const all = [...state.connections()];
      const wanted = query.get("proxyID") ?? "";
      const shown = all.filter(({ id, client }) => id.includes(wanted) || client.nodeId === wanted);
      if (wanted !== "" && shown.length === 0) return text(notConnected(wanted, all), 404);
      if (query.has("push")) return text("nothing was pushed: POST push=true to this page", 405);
      return json({ totalClients: shown.length, clients: shown.map((each) => clientOf(each, state)) });
    },
    change: {
      method: "POST",
      apply(body) {
        if (new URLSearchParams(body.trim()).get("push") !== "true") return text("expected push=true", 400);
        state.pushAll();
        return text(`pushed to ${[...state.connections()].length} connections`);
      },
    },
  };
}

function clientOf({ id, client, mode, connectedAt, peer, subscriptions }: Connection<Proxy>, { timeOf }: AdszState) {
  return {
    connectionId: id,
    node: client.nodeId,
    mode,
    connectedAt: timeOf(connectedAt).toISOString(),
    address: peer.address,
    labels: client.labels,
    metadata: client.metadata,
    locality: client.locality,
    watches: Object.fromEntries(
      subscriptions.map(({ type, wildcard, names }) => [
        type.typeUrl,
        [...(wildcard ? ["*"] : []), ...[...names].toSorted()],
      ]),
    ),
  };
}
