import { isIpAddress } from "../../config/grammar/address.ts";

export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

const httpOptions = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

/** A service that is called over gRPC. */
export function grpcCluster(name: string, address: SocketAddress) {
  return http2Cluster(name, discoveryOf(address), socketAddress(address));
}

/** A service that is called over HTTP/1.1. */
export function httpCluster(name: string, address: SocketAddress) {
  return plainCluster(name, discoveryOf(address), socketAddress(address));
}

/** A gRPC service on a unix socket. */
export function pipeCluster(name: string, path: string) {
  return http2Cluster(name, "STATIC", { pipe: { path } });
}

function discoveryOf({ host }: SocketAddress): "STATIC" | "STRICT_DNS" {
  return isIpAddress(host) ? "STATIC" : "STRICT_DNS";
}

function http2Cluster(name: string, type: "STATIC" | "STRICT_DNS", address: object) {
  const { load_assignment, ...cluster } = plainCluster(name, type, address);
  const options = {
    "@type": `type.googleapis.com/${httpOptions}`,
    explicit_http_config: { http2_protocol_options: {} },
  };
  return { ...cluster, typed_extension_protocol_options: { [httpOptions]: options }, load_assignment };
}

function plainCluster(name: string, type: "STATIC" | "STRICT_DNS", address: object) {
  return {
    name,
    type,
    connect_timeout: "1s",
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  };
}

/** An address as Envoy writes it. */
export function socketAddress({ host, port }: SocketAddress) {
  return { socket_address: { address: host, port_value: port } };
}
