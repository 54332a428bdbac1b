import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Connection } from "../../xds/connection.ts";
import { type PageAnswer, json, type Route, text } from "../route.ts";
import type { PilotState } from "../state.ts";

/** Clients that request status are no proxies: `istioctl` connects like a client that only subscribes to events. */
function isProxy({ client }: Connection<Proxy>): boolean {
  return client.generator !== "event";
}

/** Streams of proxies, without status clients. */
export function proxiesOf(state: Pick<PilotState, "connections">): readonly Connection<Proxy>[] {
  return [...state.connections()].filter(isProxy);
}

/** By node id, name or connection, else by any part of a connection's id. */
export function findProxy<C extends Connection<Proxy>>(connections: readonly C[], wanted: string): C | undefined {
  return (
    connections.find(({ id, client }) => [id, client.id, client.nodeId].includes(wanted)) ??
    connections.find(({ id }) => id.includes(wanted))
  );
}

/**
 * A page about one proxy, named by `?proxyID=`. A workload sees only proxies of its namespace, and no trace of others.
 */
export function proxyPage(
  { path, doc }: Pick<Route, "path" | "doc">,
  state: Pick<PilotState, "connections">,
  show: (connection: Connection<Proxy>, query: URLSearchParams) => unknown,
): Route {
  const answerAmong = (connections: readonly Connection<Proxy>[], query: URLSearchParams): PageAnswer => {
    const wanted = query.get("proxyID") ?? "";
    if (wanted === "") return text("missing parameter: add ?proxyID=NODE", 400);
    const found = findProxy(connections, wanted);
    return found === undefined ? text(notConnected(wanted, connections), 404) : json(show(found, query));
  };
  return {
    path,
    doc: `${doc}; ?proxyID=NODE`,
    answer: (query) => answerAmong([...state.connections()], query),
    answerWithin: (namespace, query) =>
      answerAmong(
        [...state.connections()].filter(({ client }) => client.namespace === namespace),
        query,
      ),
  };
}

export function notConnected(wanted: string, connections: readonly Connection<Proxy>[]): string {
  const known = connections.map(({ client }) => client.nodeId).toSorted();
  const hint = known.length === 0 ? "no proxy is connected" : `connected here:\n${known.join("\n")}`;
  return `${wanted} is not connected to this server, perhaps to another instance; ${hint}`;
}
