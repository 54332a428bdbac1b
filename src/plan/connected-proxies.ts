import type { Proxy } from "../pilot/model/proxy/proxy.ts";
import type { Connection } from "../xds/connection.ts";
import { find } from "../xds/resources/target.ts";
import type { Subscription } from "../xds/subscription/subscription.ts";
import { routeType } from "../xds/type-urls.ts";
import type { PlannedProxy } from "./fleet.ts";
import type { OpeningRequest } from "./rehearsal/rehearsed-client.ts";

/** A connected proxy, with what its subscriptions hold now. */
export function connectedProxy({ client, mode, subscriptions }: Connection<Proxy>): PlannedProxy {
  return { name: client.nodeId, proxy: client, count: 1, mode, requests: subscriptions.map(openingRequest) };
}

/** A client keeps route configurations in the form in which it got them, so their versions matter. */
function openingRequest({ type: { typeUrl }, mode, asked, sent }: Subscription): OpeningRequest {
  if (mode === "sotw" || typeUrl !== routeType || asked === "all") return { typeUrl, asked };
  const versions = Array.from(asked, (name) => [name, find(sent, name)?.version] as const);
  const held = new Map(
    versions.flatMap(([name, version]) => (version === undefined ? [] : [[name, version] as const])),
  );
  return { typeUrl, asked, held };
}
