import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { Certificates } from "../../../model/proxy/certificates.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { ListenerClient } from "../listener-client.ts";
import { listenerClientOf } from "../listener-client.ts";

/** The facts of a router that its listeners depend on. */
export interface GatewayClient extends ListenerClient {
  readonly certificates: Certificates;
}

export function gatewayClientOf(proxy: Proxy, mesh: MeshSettings): GatewayClient {
  return { ...listenerClientOf(proxy, mesh), certificates: proxy.certificates };
}
