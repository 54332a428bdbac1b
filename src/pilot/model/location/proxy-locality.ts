import { localityFromOneLabel, regionLabel, subzoneLabel, zoneLabel } from "../../../config/mesh/topology-labels.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import { type Endpoint, parseServiceKey } from "../service/service.ts";
import { type Locality, parseLocality } from "./locality.ts";

/**
 * The locality of a proxy, from the best source: its labels, its registered workload, then its own node. A proxy in a
 * cluster seldom knows its locality.
 */
export function localityOfProxy(proxy: Proxy, push: PushContext): Locality {
  const { labels, locality } = proxy;
  const [region = "", zone = "", subzone = ""] = [regionLabel, zoneLabel, subzoneLabel].map((name) => labels[name]);
  if (region || zone || subzone) return { region, zone, subzone };
  const said = localityFromOneLabel(labels) || registered(proxy, push, (endpoint) => endpoint.locality);
  return said === "" ? locality : parseLocality(said);
}

/** The node of a proxy, as the proxy reports, else as the registry of its workload reports; "" when unknown. */
export function nodeOfProxy(proxy: Proxy, push: PushContext): string {
  const said = proxy.metadata["NODE_NAME"];
  return typeof said === "string" && said !== "" ? said : registered(proxy, push, ({ node }) => node);
}

/**
 * Reads a fact from endpoints at the proxy's addresses. Other namespaces are ignored, because they may list any
 * address.
 */
function registered({ ipAddresses, namespace }: Proxy, push: PushContext, factOf: (endpoint: Endpoint) => string) {
  const instances = ipAddresses.flatMap((address) => push.instances.get(address) ?? []);
  const own = instances.filter(({ service }) => parseServiceKey(service).namespace === namespace);
  return own.map(({ endpoint }) => factOf(endpoint)).find((fact) => fact !== "") ?? "";
}
