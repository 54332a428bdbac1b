import { kindNames, onOff, sourceUrls, text } from "./option-values.ts";
import type { OptionRows } from "./options.ts";

/** What the mesh is made of, and what it is called. */
export interface MeshOptions {
  readonly sources: readonly string[];
  readonly followLinksOutside: boolean;
  readonly mesh: string | undefined;
  readonly networks: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly serviceDiscovery: boolean;
  readonly exclude: readonly string[];
  readonly domain: string;
  readonly clusterId: string;
  readonly scopeGatewayToNamespace: boolean;
}

export const meshOptions: OptionRows<MeshOptions> = {
  sources: {
    name: "source",
    env: ["BINNACLE_SOURCE"],
    type: sourceUrls,
    default: ["file:./mesh"],
    defaultText: "file:./mesh",
    doc: "where configuration comes from: file:DIR (or DIR without the flag), kube:[CONTEXT], etcd://HOST:PORT/PREFIX, zookeeper://HOST:PORT/ROOT, eureka+http://HOST:PORT/PATH, mcp://HOST:PORT, mcp+listen://HOST:PORT, xds://HOST:PORT, or off for nowhere; may be repeated, and the first wins a name clash; with optional=30s in its query the mesh waits no longer for it",
    example: "file:./mesh",
  },
  followLinksOutside: {
    name: "follow-links-outside",
    env: ["BINNACLE_FOLLOW_LINKS_OUTSIDE"],
    type: onOff,
    default: false,
    defaultText: "off",
    doc: "reads files behind symbolic links that lead out of the directory of a file: source; off, such a link is an issue and its objects keep their last good version; links that stay in the directory, as in mounted ConfigMaps, are always followed",
    example: "on",
  },
  mesh: {
    name: "mesh",
    env: ["BINNACLE_MESH"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "MeshConfig as YAML, watched; Istio's defaults without it",
    example: "mesh.yaml",
  },
  networks: {
    name: "networks",
    env: ["BINNACLE_NETWORKS"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "MeshNetworks as YAML, watched: which endpoints are in which network, and the ways into it",
    example: "networks.yaml",
  },
  kubeconfig: {
    name: "kubeconfig",
    env: ["BINNACLE_KUBECONFIG", "KUBECONFIG"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "how to reach the API server of kube:, and as whom; without it ~/.kube/config, and without that the service account of the pod",
    example: "kubeconfig.yaml",
  },
  serviceDiscovery: {
    name: "service-discovery",
    env: ["BINNACLE_SERVICE_DISCOVERY"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "whether Kubernetes Services, with their endpoints, are services of the mesh",
    example: "off",
  },
  exclude: {
    name: "exclude",
    env: ["BINNACLE_EXCLUDE"],
    type: kindNames,
    default: [],
    defaultText: "",
    doc: "a kind that is left out, as in Ingress; may be repeated; what service discovery needs stays",
    example: "Ingress",
  },
  domain: {
    name: "domain",
    env: ["BINNACLE_DOMAIN"],
    type: text("DOMAIN"),
    default: "cluster.local",
    defaultText: "cluster.local",
    doc: "the DNS domain that completes short hostnames",
    example: "mesh.example",
  },
  clusterId: {
    name: "cluster-id",
    env: ["BINNACLE_CLUSTER_ID", "CLUSTER_ID"],
    type: text("ID"),
    default: "Kubernetes",
    defaultText: "Kubernetes",
    doc: "the cluster that endpoints belong to",
    example: "east",
  },
  scopeGatewayToNamespace: {
    name: "scope-gateway-to-namespace",
    env: ["BINNACLE_SCOPE_GATEWAY_TO_NAMESPACE", "PILOT_SCOPE_GATEWAY_TO_NAMESPACE"],
    type: onOff,
    default: false,
    defaultText: "off",
    doc: "a Gateway selects only proxies of its own namespace; off, proxies of every namespace with its labels",
    example: "on",
    of: "pilot",
  },
};
