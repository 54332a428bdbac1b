import { localityIn, regionLabel, subzoneLabel, zoneLabel } from "../../../config/mesh/place-labels.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import { type Endpoint, parseServiceKey } from "../service/service.ts";
import { type Locality, parseLocality } from "./topology.ts";

/**
 * Where a proxy is, by who knows best: its labels, the registry that its workload is in, and last the proxy itself,
 * which in a cluster seldom knows.
 */
export function localityOfProxy(proxy: Proxy, push: PushContext): Locality {
  const { labels, locality } = proxy;
  const [region = "", zone = "", subzone = ""] = [regionLabel, zoneLabel, subzoneLabel].map((name) => labels[name]);
  if (region || zone || subzone) return { region, zone, subzone };
  const said = localityIn(labels) || registered(proxy, push, ({ locality: place }) => place);
  return said === "" ? locality : parseLocality(said);
}

/** The machine it runs on, as it says, else as the registry of its workload does; "" when nobody knows. */
export function nodeOfProxy(proxy: Proxy, push: PushContext): string {
  const said = proxy.metadata["NODE_NAME"];
  return typeof said === "string" && said !== "" ? said : registered(proxy, push, ({ node }) => node);
}

/** What is known of the workload at its addresses. Others' namespaces do not count: they may list any address. */
function registered({ ipAddresses, namespace }: Proxy, push: PushContext, factOf: (endpoint: Endpoint) => string) {
  const instances = ipAddresses.flatMap((address) => push.instances.get(address) ?? []);
  const own = instances.filter(({ service }) => parseServiceKey(service).namespace === namespace);
  return own.map(({ endpoint }) => factOf(endpoint)).find((fact) => fact !== "") ?? "";
}
