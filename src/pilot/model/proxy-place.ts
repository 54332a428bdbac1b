import type { Proxy } from "./proxy.ts";
import type { PushContext } from "./push-context.ts";
import { type Locality, labelledLocality, parseLocality, regionLabel, subzoneLabel, zoneLabel } from "./topology.ts";

/**
 * Where a proxy is, by who knows best: its labels, the registry that its workload is in, and last the proxy itself,
 * which in a cluster seldom knows.
 */
export function localityOfProxy({ labels, locality, ipAddresses }: Proxy, push: PushContext): Locality {
  const [region, zone, subzone] = [regionLabel, zoneLabel, subzoneLabel].map((name) => labels[name] ?? "");
  if (region || zone || subzone) return { region: region ?? "", zone: zone ?? "", subzone: subzone ?? "" };
  const registered = ipAddresses
    .flatMap((address) => push.instances.get(address) ?? [])
    .find(({ endpoint }) => endpoint.locality !== "");
  const said = labelledLocality(labels) || registered?.endpoint.locality;
  return said === undefined ? locality : parseLocality(said);
}

/** The machine it runs on, as it says, else as the registry of its workload does; "" when nobody knows. */
export function nodeOfProxy({ metadata, ipAddresses }: Proxy, push: PushContext): string {
  const said = metadata["NODE_NAME"];
  if (typeof said === "string" && said !== "") return said;
  const registered = ipAddresses
    .flatMap((address) => push.instances.get(address) ?? [])
    .find(({ endpoint }) => endpoint.node !== "");
  return registered?.endpoint.node ?? "";
}
