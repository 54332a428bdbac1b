import { configId } from "../../config/config.ts";
import type { Gateway, GatewayServer, ServerTls } from "../../pilot/model/gateway/gateway.ts";

export function fakeGateway(changes: Partial<Gateway> = {}): Gateway {
  const { namespace = "edge", name = "edge" } = changes;
  return {
    name,
    namespace,
    createdAt: 0,
    owner: configId("Gateway", namespace, name),
    selector: { app: "edge" },
    servers: [fakeServer()],
    ...changes,
  };
}

export function fakeServer(changes: Partial<GatewayServer> = {}): GatewayServer {
  return {
    name: "",
    port: 8080,
    portName: "http",
    protocol: "HTTP",
    bind: "",
    hosts: [{ namespace: "*", hostname: "*" }],
    tls: undefined,
    ...changes,
  };
}

export function fakeServerTls(changes: Partial<ServerTls> = {}): ServerTls {
  return {
    httpsRedirect: false,
    mode: "simple",
    credentialNames: [],
    caCredentialName: "",
    certificates: [{ certificateChain: "/certs/server.crt", privateKey: "/certs/server.key" }],
    caCertificates: "",
    caCrl: "",
    subjectAltNames: [],
    verifySpki: [],
    verifyHash: [],
    insecureSkipVerify: false,
    minVersion: "auto",
    maxVersion: "auto",
    cipherSuites: [],
    ecdhCurves: [],
    ...changes,
  };
}
