import type { Lookup } from "../../explain/near-misses/near-miss.ts";
import { nearMissesFor } from "../../explain/near-misses/near-misses-for.ts";
import type { Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { proxyPage } from "./find-proxy.ts";

type NearMissesState = Pick<PilotState, "connections" | "originOf" | "published">;

/** For `explain --server`: the resources of a proxy do not show what is missing from them. */
export function nearMissesPage(state: NearMissesState): Route {
  const doc =
    "objects that almost match a host or cluster for one proxy: ?host=NAME&port=NUMBER, with http=true for requests, and ?cluster=NAME";
  return proxyPage({ path: "/debug/near_misses", doc }, state, ({ client }, query) =>
    nearMissesFor({ proxy: client, push: state.published() }, lookupIn(query)).map(({ object, why }) => ({
      object,
      reference: state.originOf(object)?.reference ?? "",
      why,
    })),
  );
}

function lookupIn(query: URLSearchParams): Lookup {
  const hostname = query.get("host");
  const host = { port: Number(query.get("port")), http: query.get("http") === "true" };
  return {
    ...(hostname !== null && { host: { ...host, hostname: hostname.toLowerCase() } }),
    clusters: query.getAll("cluster"),
  };
}
