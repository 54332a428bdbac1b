import type { Labels } from "../../../../config/config.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { PushContext } from "../../../model/push-context.ts";
import { connectionLabelsFor } from "../../../model/scope/connection-labels.ts";
import type { ScopeRef } from "../../../model/scope/sidecar-scope.ts";
import type { ListenerClient } from "../listener-client.ts";
import { listenerClientOf, portIn } from "../listener-client.ts";
import { servesHeadless } from "./headless.ts";

/** The facts of a sidecar that its outbound listeners depend on. Facts that most sidecars do not need stay empty. */
export interface OutboundClient extends ListenerClient {
  /** Of an explicit HTTP proxy on loopback; 0 for none. */
  readonly httpProxyPort: number;
  /** The labels that TCP or TLS routes match on. */
  readonly labels: Labels;
  /** Its own address, if it is an endpoint of a headless service. It needs no listener for itself. */
  readonly ownAddress: string;
  /** Decides how short the other names of services may be. */
  readonly dnsDomain: string;
}

export function outboundClientOf(proxy: Proxy, ref: ScopeRef, push: PushContext): OutboundClient {
  const [first = ""] = proxy.ipAddresses;
  return {
    ...listenerClientOf(proxy, push.mesh),
    httpProxyPort: httpProxyPortOf(proxy, push.mesh),
    labels: labelsAmong(connectionLabelsFor(ref, push), proxy.labels),
    ownAddress: servesHeadless(first, push) ? first : "",
    dnsDomain: proxy.dnsDomain,
  };
}

/** The port of an explicit HTTP proxy, from the proxy, else from the mesh; 0 for none. */
export function httpProxyPortOf({ metadata }: Proxy, mesh: MeshSettings): number {
  return portIn(metadata, "HTTP_PROXY_PORT") || mesh.httpProxyPort;
}

function labelsAmong(names: ReadonlySet<string>, labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => names.has(name)));
}
