import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { Certificates } from "../../../model/proxy/certificates.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import { isGlobalUnicast } from "../cidr.ts";
import type { ListenerClient } from "../listener-client.ts";
import { listenerClientOf } from "../listener-client.ts";

/** The facts of a sidecar that its inbound listeners depend on, beside its services. */
export interface InboundClient extends ListenerClient {
  readonly certificates: Certificates;
  /** The default address of an ingress listener. */
  readonly ownAddress: string;
}

export function inboundClientOf(proxy: Proxy, mesh: MeshSettings): InboundClient {
  const client = listenerClientOf(proxy, mesh);
  const ownAddress = proxy.ipAddresses.find(isGlobalUnicast) ?? client.wildcard;
  return { ...client, certificates: proxy.certificates, ownAddress };
}
