import type { ServicePort } from "#gen/k8s/core/v1/service_pb.js";

/** The protocol name that MCP consumers interpret as protocol sniffing. */
const unsupported = "UnsupportedProtocol";

const protocols: ReadonlyMap<string, string> = new Map(
  ["TCP", "UDP", "GRPC", "HTTP", "HTTP_PROXY", "HTTP2", "HTTPS", "TLS", "Mongo", "Redis", "MySQL"].map((protocol) => [
    protocol.toLowerCase(),
    protocol,
  ]),
);

/** Kubernetes' own names for application protocols. */
const standardNames: ReadonlyMap<string, string> = new Map([
  ["kubernetes.io/h2c", "HTTP2"],
  ["kubernetes.io/ws", "HTTP"],
  ["kubernetes.io/wss", "HTTPS"],
]);

/**
 * SMTP, DNS, MySQL and MongoDB. Their server speaks first, so protocol sniffing would wait for client bytes forever.
 */
const serverFirstPorts: ReadonlySet<number> = new Set([25, 53, 3306, 27017]);

/** The protocol of a port, from `appProtocol`, else from the port's name up to its first `-`. */
export function portProtocol(port: Pick<ServicePort, "name" | "protocol" | "port" | "appProtocol">): string {
  if (port.protocol === "UDP") return "UDP";
  const standard = standardNames.get(port.appProtocol);
  if (standard !== undefined) return standard;
  const hint = (port.appProtocol === "" ? port.name : port.appProtocol).toLowerCase();
  if (hint.startsWith("grpc-web")) return "GRPC-Web";
  const [prefix = ""] = hint.split("-");
  return protocols.get(prefix) ?? (serverFirstPorts.has(port.port) ? "TCP" : unsupported);
}
