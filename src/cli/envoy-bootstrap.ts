import { MeshError } from "../lib/errors.ts";

export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

export interface EnvoyBootstrapOptions {
  /** `type~ip~name.namespace~dnsDomain` */
  readonly nodeId: string;
  readonly xds: SocketAddress;
  readonly admin: SocketAddress;
  readonly mode: "sotw" | "delta";
}

/** The release whose proxies we write configuration for; tools show it as the version of the proxy. */
const ISTIO_VERSION = "1.29.6";

/** Everything over ADS from one plaintext server. Throws `bad-option` for a node id that no server would take. */
export function envoyBootstrap({ nodeId, xds, admin, mode }: EnvoyBootstrapOptions) {
  // Without a time limit for the first answer: an Envoy that gives up on it serves with half of its configuration.
  const overAds = { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" };
  return {
    node: { id: nodeId, cluster: "binnacle", metadata: metadataOf(nodeId) },
    admin: { address: socketAddress(admin) },
    dynamic_resources: {
      ads_config: {
        api_type: mode === "delta" ? "DELTA_GRPC" : "GRPC",
        transport_api_version: "V3",
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: "xds-grpc" } }],
      },
      cds_config: overAds,
      lds_config: overAds,
    },
    static_resources: { clusters: [xdsCluster(xds)] },
  };
}

function metadataOf(nodeId: string) {
  const [type, ip, name, dnsDomain, ...rest] = nodeId.split("~");
  if (!/^(?:sidecar|router)$/u.test(type ?? "") || !ip || !name || !dnsDomain || rest.length > 0) {
    const expected = "TYPE~IP~NAME.NAMESPACE~NAMESPACE.svc.DOMAIN, TYPE being sidecar or router";
    throw new MeshError("bad-option", `--node: expected ${expected}; found ${JSON.stringify(nodeId)}`);
  }
  const [workload = "", namespace = dnsDomain.split(".", 1)[0]] = name.split(".", 2);
  const common = { NAMESPACE: namespace, CLUSTER_ID: "Kubernetes", INSTANCE_IPS: ip, ISTIO_VERSION, PROXY_CONFIG: {} };
  const labels = { app: workload.replace(/-\d+$/u, "") };
  // Without interception a sidecar's listeners bind the services' own ports on loopback, which needs no root.
  return { ...common, LABELS: labels, ...(type === "sidecar" && { INTERCEPTION_MODE: "NONE" }) };
}

const httpOptions = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

function xdsCluster(address: SocketAddress) {
  const endpoint = { address: socketAddress(address) };
  return {
    name: "xds-grpc",
    type: "STATIC",
    connect_timeout: "1s",
    typed_extension_protocol_options: {
      [httpOptions]: {
        "@type": `type.googleapis.com/${httpOptions}`,
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: { cluster_name: "xds-grpc", endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  };
}

function socketAddress({ host, port }: SocketAddress) {
  return { socket_address: { address: host, port_value: port } };
}
