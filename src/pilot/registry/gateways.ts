import type { Gateway as IstioGateway, Server as IstioServer } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { ServerTLSSettings_TLSmode } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { Config } from "../../config/config.ts";
import { configId } from "../../config/config.ts";
import type { Gateway, Server, ServerHost, ServerTls } from "../model/gateway.ts";
import { parseProtocol } from "./protocol.ts";

export function gatewayOf(config: Config<IstioGateway>): Gateway {
  return {
    name: config.name,
    namespace: config.namespace,
    createdAt: config.createdAt,
    owner: configId("Gateway", config.namespace, config.name),
    selector: config.spec.selector,
    servers: config.spec.servers.map((server) => serverOf(server, config.namespace)),
  };
}

function serverOf(server: IstioServer, namespace: string): Server {
  return {
    port: server.port?.number ?? 0,
    portName: server.port?.name ?? "",
    protocol: parseProtocol(server.port?.protocol ?? ""),
    bind: server.bind,
    hosts: server.hosts.map((host) => hostOf(host, namespace)),
    tls: server.tls === undefined ? undefined : tlsOf(server.tls.httpsRedirect, server.tls.mode),
  };
}

/** `host`, `*` and a host, `./host` or `namespace/host`. */
function hostOf(text: string, namespace: string): ServerHost {
  const [first = "", second] = text.split("/");
  if (second === undefined) return { namespace: "*", hostname: first };
  return { namespace: first === "." ? namespace : first, hostname: second };
}

function tlsOf(httpsRedirect: boolean, mode: ServerTLSSettings_TLSmode): ServerTls {
  const { PASSTHROUGH, AUTO_PASSTHROUGH } = ServerTLSSettings_TLSmode;
  return { httpsRedirect, passthrough: mode === PASSTHROUGH || mode === AUTO_PASSTHROUGH };
}
