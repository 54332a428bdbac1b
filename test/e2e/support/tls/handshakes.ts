import type { ProxyConfig } from "../../../../src/explain/explain.ts";
import { startBinnacle } from "../binnacle/server.ts";
import { type EnvoyNode, gatewayNode } from "../envoy/bootstrap.ts";
import { startEcho } from "../envoy/echo.ts";
import { startEnvoy } from "../envoy/envoy.ts";
import { freePort } from "../free-port.ts";
import { MeshDir } from "../mesh-dir.ts";
import { configOf } from "../xds/held-config.ts";
import { objectYaml, serviceYaml } from "../yaml.ts";
import { type IssuedFiles, TestAuthority } from "./certificates.ts";
import { certifiedNode } from "./mutual-shop.ts";
import { startTlsPeer } from "./tls.ts";

/** The mTLS modes of a server's sidecar. */
const serverModes = ["STRICT", "PERMISSIVE", "DISABLE"] as const;

/**
 * The TLS settings of a DestinationRule for a service. Undefined for no rule. `foreignRoots` signed no served
 * certificate.
 */
function clientRules({ certificateChain, privateKey, rootCertificates }: IssuedFiles, foreignRoots: string) {
  const files = { clientCertificate: certificateChain, privateKey, caCertificates: rootCertificates };
  const subjectAltNames = ["spiffe://cluster.local/ns/shop/sa/server"];
  return {
    none: undefined,
    disable: { mode: "DISABLE" },
    simple: { mode: "SIMPLE", insecureSkipVerify: true },
    mutual: { mode: "MUTUAL", ...files, subjectAltNames },
    "mutual-foreign": { mode: "MUTUAL", ...files, subjectAltNames, caCertificates: foreignRoots },
    "mutual-by-host": { mode: "MUTUAL", ...files },
    istio: { mode: "ISTIO_MUTUAL" },
    stranger: { mode: "ISTIO_MUTUAL", subjectAltNames: ["spiffe://cluster.local/ns/shop/sa/other"] },
  } as const;
}

/** A service with or without a sidecar, and the TLS settings of its clients. */
interface Called {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** The address of the server's sidecar, and its identity. */
export const serverAddress = "127.0.0.2";
export const serverIdentity = "spiffe://cluster.local/ns/shop/sa/server";

/** Ports of a gateway: of two servers that terminate TLS, and of one with TLS passthrough. */
type GatewayPorts = Readonly<Record<"ending" | "passing", number>>;

/**
 * Three real Envoys: a client's sidecar that calls one service per kind of TLS, the server's sidecar, and a gateway.
 */
export async function openHandshakes() {
  await using stack = new AsyncDisposableStack();
  const authority = stack.use(await TestAuthority.create());
  const foreign = stack.use(await TestAuthority.create());
  const { rootCertificates: foreignRoots } = await foreign.issue("shop", "server");
  const files = {
    server: await authority.issue("shop", "server"),
    client: await authority.issue("shop", "client"),
    shop: await authority.issueHost("shop.example.com"),
    one: await authority.issueHost("one.example.com"),
  };
  const app = stack.use(await startEcho("app"));
  const one = stack.use(await startTlsPeer("one", files.one));
  const ports = { ending: await freePort(), passing: await freePort() };
  const inbound = await Promise.all(serverModes.map(async (mode) => ({ mode, port: await freePort() })));
  const calls: Called[] = [];
  const yaml: Record<string, string> = {
    "server.yaml": serverYaml(inbound, app.port),
    "gateway.yaml": gatewayYaml(ports, files.shop),
    "one.yaml": serviceYaml({ name: "one", port: 443, protocol: "TLS", endpoints: [{ port: one.port }] }),
    "web.yaml": serviceYaml({ name: "web", port: 80, endpoints: [{ port: app.port }] }),
  };
  const add = async (name: string, endpoint: object & { readonly port: number }, tls: object | undefined) => {
    const [host, port] = [`${name}.shop.svc.cluster.local`, await freePort()];
    calls.push({ name, host, port });
    const rule =
      tls === undefined ? "" : `---\n${objectYaml("DestinationRule", name, { host, trafficPolicy: { tls } })}`;
    yaml[`${name}.yaml`] = `${serviceYaml({ name, port, endpoints: [endpoint] })}${rule}`;
  };
  const rules = Object.entries(clientRules(files.client, foreignRoots));
  for (const { mode, port } of inbound) {
    const endpoint = { address: serverAddress, port, labels: { app: "server" }, serviceAccount: "server" };
    for (const [rule, tls] of rules) await add(`${rule}-${mode.toLowerCase()}`, endpoint, tls);
  }
  await add("bare-istio", { port: app.port }, { mode: "ISTIO_MUTUAL" });
  await add("bare-none", { port: app.port }, undefined);

  const mesh = stack.use(new MeshDir(yaml));
  const { xdsPort } = stack.use(await startBinnacle({ dir: mesh.path }));
  const nodes = {
    server: certifiedNode("server", serverAddress, files.server),
    client: certifiedNode("client", "127.0.0.3", files.client),
  };
  const start = async (node: EnvoyNode) => stack.use(await startEnvoy({ xdsPort, mode: "sotw", node }));
  const [server, client] = await Promise.all([start(nodes.server), start(nodes.client), start(gatewayNode)]);
  await Promise.all([server.settled(), client.settled()]);
  const routes = [
    `https.${ports.ending}.simple.edge.shop.127.0.0.1`,
    `https.${ports.ending}.mutual.edge.shop.127.0.0.1`,
  ];
  const configs: Readonly<Record<"server" | "client" | "gateway", ProxyConfig>> = {
    server: await configOf(nodes.server, xdsPort, []),
    client: await configOf(
      nodes.client,
      xdsPort,
      calls.map(({ port }) => String(port)),
    ),
    gateway: await configOf(gatewayNode, xdsPort, routes),
  };
  const open = stack.move();
  return { calls, ports, files, configs, client, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

function serverYaml(inbound: readonly { readonly mode: string; readonly port: number }[], appPort: number): string {
  const labels = { app: "server" };
  const ingress = inbound.map(({ mode, port }) => ({
    port: { number: port, protocol: "HTTP", name: mode.toLowerCase() },
    bind: serverAddress,
    captureMode: "NONE",
    defaultEndpoint: `127.0.0.1:${appPort}`,
  }));
  const portLevelMtls = Object.fromEntries(inbound.map(({ mode, port }) => [port, { mode }]));
  return [
    objectYaml("Sidecar", "server", { workloadSelector: { labels }, ingress, egress: [{ hosts: ["~/*"] }] }),
    objectYaml("PeerAuthentication", "server", { selector: { matchLabels: labels }, portLevelMtls }).replace(
      "networking.istio.io",
      "security.istio.io",
    ),
  ].join("---\n");
}

function gatewayYaml(ports: GatewayPorts, shop: IssuedFiles): string {
  const own = { serverCertificate: shop.certificateChain, privateKey: shop.privateKey };
  const mutual = { mode: "MUTUAL", ...own, caCertificates: shop.rootCertificates };
  return [
    objectYaml("Gateway", "edge", {
      selector: { app: "gw" },
      servers: [
        tlsServer(ports.ending, "simple", "shop.example.com", { mode: "SIMPLE", ...own }),
        tlsServer(ports.ending, "mutual", "pay.example.com", mutual),
        tlsServer(ports.passing, "passing", "*.example.com", { mode: "PASSTHROUGH" }, "TLS"),
      ],
    }),
    objectYaml("VirtualService", "shop", {
      hosts: ["shop.example.com", "pay.example.com"],
      gateways: ["edge"],
      http: [{ route: to("web") }],
    }),
    objectYaml("VirtualService", "one", {
      hosts: ["one.example.com"],
      gateways: ["edge"],
      tls: [{ match: [{ sniHosts: ["one.example.com"] }], route: to("one") }],
    }),
  ].join("---\n");
}

function tlsServer(port: number, name: string, host: string, tls: object, protocol = "HTTPS"): object {
  return { port: { number: port, name, protocol }, bind: "127.0.0.1", hosts: [host], tls };
}

function to(name: string): readonly object[] {
  return [{ destination: { host: `${name}.shop.svc.cluster.local` } }];
}
