import { type Route, text } from "../route.ts";
import type { PilotState } from "../state.ts";
import { findProxy, notConnected } from "./find-proxy.ts";

/** Present only if enabled: permission to see pages does not include ending streams. */
export function forceDisconnectPage({ connections }: Pick<PilotState, "connections">): Route {
  return {
    path: "/debug/force_disconnect",
    doc: "needs --allow-disconnect: POST proxyID=NODE ends the stream of a proxy; the proxy reconnects",
    answer: () => text("to end a stream, POST proxyID=NODE to this page", 405),
    change: {
      method: "POST",
      apply(body) {
        const wanted = new URLSearchParams(body.trim()).get("proxyID") ?? "";
        if (wanted === "") return text("missing parameter: POST proxyID=NODE", 400);
        const all = [...connections()];
        const found = findProxy(all, wanted);
        if (found === undefined) return text(notConnected(wanted, all), 404);
        found.disconnect("ended by an operator");
        return text(`ended ${found.id}`);
      },
    },
  };
}
