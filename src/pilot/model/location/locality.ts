import { networkLabel, regionLabel, subzoneLabel, zoneLabel } from "../../../config/mesh/topology-labels.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { Endpoint } from "../service/service.ts";

/** A region, zone and subzone; "" for unknown. An unknown part equals nothing. */
export interface Locality {
  readonly region: string;
  readonly zone: string;
  readonly subzone: string;
}

/** The locality and node of a proxy, as far as known. */
export interface ProxyLocality {
  readonly locality: Locality;
  readonly node: string;
}

/** The locality of a workload that reports none. */
export const unknownLocality: Locality = { region: "", zone: "", subzone: "" };

/** Reads `region/zone/subzone`, as far as it is given. */
export function parseLocality(text: string): Locality {
  const [region = "", zone = "", subzone = ""] = text.split("/");
  return { region, zone, subzone };
}

/** Labels that follow from the locality, node, network and cluster of a proxy or endpoint. They override the given labels. */
export const nodeLabel = "kubernetes.io/hostname";
const clusterLabel = "topology.istio.io/cluster";

/** Returns a label of an endpoint: derived from its location, or given; undefined when it has none. */
export function endpointLabel(endpoint: Endpoint, name: string): string | undefined {
  const derived = byLabel.get(name)?.(endpoint, parseLocality(endpoint.locality));
  return derived || given(endpoint.labels, name);
}

/** Returns a label of a proxy whose locality is known. */
export function proxyLabel(proxy: Proxy, { locality, node }: ProxyLocality, name: string): string | undefined {
  const derived = byLabel.get(name)?.({ ...proxy, node }, locality);
  return derived || given(proxy.labels, name);
}

function given(labels: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}

type Located = Pick<Endpoint, "network" | "clusterId" | "node">;

const byLabel: ReadonlyMap<string, (located: Located, locality: Locality) => string> = new Map([
  [regionLabel, (_, { region }) => region],
  [zoneLabel, (_, { zone }) => zone],
  [subzoneLabel, (_, { subzone }) => subzone],
  [networkLabel, ({ network }) => network],
  [clusterLabel, ({ clusterId }) => clusterId],
  [nodeLabel, ({ node }) => node],
]);
