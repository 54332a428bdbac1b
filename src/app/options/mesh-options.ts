import type { OptionRows } from "./option.ts";
import { kindNames, onOff, sourceUrls, singleText } from "./option-values.ts";

/** Options for the sources and the names of the mesh. */
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
  readonly allowUnenforced: boolean;
}

export const meshOptions: OptionRows<MeshOptions> = {
  sources: {
    name: "source",
    env: ["BINNACLE_SOURCE"],
    type: sourceUrls,
    default: ["file:./mesh"],
    defaultText: "file:./mesh",
    doc: "Reads configuration from this source. Forms: file:DIR (or DIR without the flag), kube:[CONTEXT], etcd://HOST:PORT/PREFIX, zookeeper://HOST:PORT/ROOT, eureka+http://HOST:PORT/PATH, mcp://HOST:PORT, mcp+listen://HOST:PORT, xds://HOST:PORT, or off for no source. May be repeated; on a name clash the first source wins. optional=30s in the query limits how long the mesh waits for the source.",
    example: "file:./mesh",
  },
  followLinksOutside: {
    name: "follow-links-outside",
    env: ["BINNACLE_FOLLOW_LINKS_OUTSIDE"],
    type: onOff,
    default: false,
    defaultText: "off",
    doc: "Follows symbolic links that lead out of the directory of a file: source. When off, such a link is an issue and its objects keep their last good version. Links inside the directory, as in mounted ConfigMaps, are always followed.",
    example: "on",
  },
  mesh: {
    name: "mesh",
    env: ["BINNACLE_MESH"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "MeshConfig file (YAML). Reloaded on change. Without it, Istio's defaults apply.",
    example: "mesh.yaml",
  },
  networks: {
    name: "networks",
    env: ["BINNACLE_NETWORKS"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "MeshNetworks file (YAML) with the endpoints and gateways of each network. Reloaded on change.",
    example: "networks.yaml",
  },
  kubeconfig: {
    name: "kubeconfig",
    env: ["BINNACLE_KUBECONFIG", "KUBECONFIG"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Kubeconfig file with the API server and the credentials for kube:. Without it, ~/.kube/config is used, then the service account of the pod.",
    example: "kubeconfig.yaml",
  },
  serviceDiscovery: {
    name: "service-discovery",
    env: ["BINNACLE_SERVICE_DISCOVERY"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "Adds Kubernetes Services and their endpoints to the mesh.",
    example: "off",
  },
  exclude: {
    name: "exclude",
    env: ["BINNACLE_EXCLUDE"],
    type: kindNames,
    default: [],
    defaultText: "",
    doc: "Ignores objects of this kind, such as Ingress. May be repeated. Kinds that service discovery needs are still read.",
    example: "Ingress",
  },
  domain: {
    name: "domain",
    env: ["BINNACLE_DOMAIN"],
    type: singleText("DOMAIN"),
    default: "cluster.local",
    defaultText: "cluster.local",
    doc: "DNS domain that completes short hostnames.",
    example: "mesh.example",
  },
  clusterId: {
    name: "cluster-id",
    env: ["BINNACLE_CLUSTER_ID", "CLUSTER_ID"],
    type: singleText("ID"),
    default: "Kubernetes",
    defaultText: "Kubernetes",
    doc: "ID of the cluster that endpoints belong to.",
    example: "east",
  },
  scopeGatewayToNamespace: {
    name: "scope-gateway-to-namespace",
    env: ["BINNACLE_SCOPE_GATEWAY_TO_NAMESPACE", "PILOT_SCOPE_GATEWAY_TO_NAMESPACE"],
    type: onOff,
    default: false,
    defaultText: "off",
    doc: "Limits a Gateway to proxies of its own namespace. When off, a Gateway selects proxies with its labels in every namespace.",
    example: "on",
    of: "pilot",
  },
  allowUnenforced: {
    name: "allow-unenforced",
    env: ["BINNACLE_ALLOW_UNENFORCED"],
    type: onOff,
    default: false,
    defaultText: "off",
    doc: "Reports security objects and fields that have no effect, such as tokens of peers in a legacy Policy, as warnings. When off, they are errors (code no-effect). The objects are kept and sent over MCP either way.",
    example: "on",
  },
};
