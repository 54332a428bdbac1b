import { type AddressFamilies, familiesOf } from "../../model/proxy/address-families.ts";
import type { Capabilities } from "../../model/proxy/capabilities.ts";
import { capabilitiesOf } from "../../model/proxy/capabilities.ts";
import type { Certificates } from "../../model/proxy/certificates.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";

/** The facts of an Envoy that its clusters depend on, beside the services it sees. */
export interface ClusterClient {
  readonly type: Proxy["type"];
  readonly certificates: Certificates;
  readonly capabilities: Capabilities;
  /** Its address families. They decide the DNS lookup family. */
  readonly families: AddressFamilies;
}

export function clusterClientOf({ type, certificates, extensions, ipAddresses }: Proxy): ClusterClient {
  return { type, certificates, capabilities: capabilitiesOf(extensions), families: familiesOf(ipAddresses) };
}
