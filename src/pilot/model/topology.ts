import type { Proxy } from "./proxy.ts";
import type { Endpoint } from "./service.ts";

/** A place in the world; "" where it is not known, which nothing else is like. */
export interface Locality {
  readonly region: string;
  readonly zone: string;
  readonly subzone: string;
}

export const nowhere: Locality = { region: "", zone: "", subzone: "" };

/** Reads `region/zone/subzone`, as far as it is given. */
export function parseLocality(text: string): Locality {
  const [region = "", zone = "", subzone = ""] = text.split("/");
  return { region, zone, subzone };
}

/** Labels that everybody has by being somewhere, whatever they were given. */
export const networkLabel = "topology.istio.io/network";
export const regionLabel = "topology.kubernetes.io/region";
export const zoneLabel = "topology.kubernetes.io/zone";
export const subzoneLabel = "topology.istio.io/subzone";
export const nodeLabel = "kubernetes.io/hostname";
const clusterLabel = "topology.istio.io/cluster";

/** A label of an endpoint, by its place or given; undefined when it has none. */
export function endpointLabel(endpoint: Endpoint, name: string): string | undefined {
  const place = placeLabels.get(name)?.(endpoint, parseLocality(endpoint.locality));
  return place || given(endpoint.labels, name);
}

export function proxyLabel(proxy: Proxy, name: string): string | undefined {
  const place = placeLabels.get(name)?.({ ...proxy, node: nodeOf(proxy) }, proxy.locality);
  return place || given(proxy.labels, name);
}

/** The machine that a proxy runs on, if it says so. */
export function nodeOf({ metadata }: Pick<Proxy, "metadata">): string {
  const node = metadata["NODE_NAME"];
  return typeof node === "string" ? node : "";
}

function given(labels: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}

type Placed = Pick<Endpoint, "network" | "clusterId" | "node">;

const placeLabels: ReadonlyMap<string, (placed: Placed, locality: Locality) => string> = new Map([
  [regionLabel, (_, { region }) => region],
  [zoneLabel, (_, { zone }) => zone],
  [subzoneLabel, (_, { subzone }) => subzone],
  [networkLabel, ({ network }) => network],
  [clusterLabel, ({ clusterId }) => clusterId],
  [nodeLabel, ({ node }) => node],
]);
