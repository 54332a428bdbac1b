import type { Gateway as IstioGateway, Server as IstioServer } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { Config } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import type { Gateway, GatewayServer, ServerHost } from "../../model/gateway/gateway.ts";
import { parseProtocol } from "../service/protocol.ts";
import { serverTlsOf } from "./server-tls.ts";

export interface GatewaySettings {
  /** Whether a Gateway selects only routers of its own namespace. */
  readonly scopeGatewayToNamespace?: boolean;
}

export function gatewayOf(config: Config<IstioGateway>, { scopeGatewayToNamespace }: GatewaySettings = {}): Gateway {
  return {
    name: config.name,
    namespace: config.namespace,
    createdAt: config.createdAt,
    owner: configId("Gateway", config.namespace, config.name),
    selector: config.spec.selector,
    ...(scopeGatewayToNamespace === true && { selectsIn: config.namespace }),
    servers: config.spec.servers.map((server) => serverOf(server, config.namespace)),
  };
}

function serverOf(server: IstioServer, namespace: string): GatewayServer {
  return {
    name: server.name,
    port: server.port?.number ?? 0,
    portName: server.port?.name ?? "",
    protocol: parseProtocol(server.port?.protocol ?? ""),
    bind: server.bind,
    hosts: server.hosts.map((host) => hostOf(host, namespace)),
    tls: server.tls && serverTlsOf(server.tls),
  };
}

/** `host`, `*` and a host, `./host` or `namespace/host`. */
function hostOf(text: string, namespace: string): ServerHost {
  const [first = "", second] = text.split("/");
  if (second === undefined) return { namespace: "*", hostname: first };
  return { namespace: first === "." ? namespace : first, hostname: second };
}
