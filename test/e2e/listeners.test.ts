import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { tcpAsk } from "./support/tcp.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";
import { openMutualShop } from "./support/tls/mutual-shop.ts";
import { httpText, tlsAsk } from "./support/tls/tls.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const mode = "delta";
const soon = { seconds: 20 };
const app = "app.shop.svc.cluster.local";

function peerAuthentication(asked: string): string {
  const metadata = { name: "default", namespace: "shop" };
  const spec = { mtls: { mode: asked } };
  return JSON.stringify({ apiVersion: "security.istio.io/v1", kind: "PeerAuthentication", metadata, spec });
}

/** A server of a gateway on loopback, for the routers with one label. */
function gateway(name: string, { port, tls }: { readonly port: number; readonly tls?: object }): string {
  const protocol = tls === undefined ? "HTTP" : "HTTPS";
  const hosts = ["shop.example.com"];
  const server = { port: { number: port, name: "main", protocol }, bind: "127.0.0.1", hosts, ...(tls && { tls }) };
  return objectYaml("Gateway", name, { selector: { app: name }, servers: [server] });
}

function routesFrom(...gateways: readonly string[]): string {
  const http = [{ route: [{ destination: { host: app } }] }];
  return objectYaml("VirtualService", "app", { hosts: ["shop.example.com"], gateways, http });
}

function routerNode(name: string, metadata: Readonly<Record<string, object>> = {}) {
  const id = `router~127.0.0.1~${name}-0.shop~shop.svc.cluster.local`;
  return { id, metadata: { NAMESPACE: "shop", LABELS: { app: name }, ...metadata } };
}

/** The status of an answer in HTTP/1, and the headers that reached the application. */
function read(answer: string) {
  const [, status] = /^HTTP\/1\.\d (\d+)/u.exec(answer) ?? [];
  const [, headers = "{}"] = /"headers":(\{[^}]*\})/u.exec(answer) ?? [];
  return { status: Number(status), reached: JSON.parse(headers) as Readonly<Record<string, string>> };
}

describeWithEnvoy("the listeners of a real Envoy", () => {
  test("admit clients by PeerAuthentication, and follow its changes", async () => {
    await using shop = await openMutualShop(mode);
    const { mesh, port, inboundPort, server, client } = shop;
    const inPlainText = async () =>
      read(await tcpAsk({ host: "127.0.0.2", port: inboundPort }, httpText("app.shop"))).status;
    const byMesh = async () => (await get(port, "/", { host: "app.shop" })).status;

    expect([await inPlainText(), await byMesh()]).toEqual([200, 200]);
    mesh.write("policy.yaml", peerAuthentication("STRICT"));
    const refused = () =>
      inPlainText().then(
        (status) => status !== 200,
        () => true,
      );
    await eventually("plain text is refused", refused, soon);
    expect(await byMesh()).toBe(200);
    mesh.write("policy.yaml", peerAuthentication("DISABLE"));
    const accepted = async () => (await inPlainText()) === 200;
    await eventually("plain text is accepted again", accepted, soon);
    expect([await server.troubles(), await client.troubles()]).toEqual([[], []]);
  });

  test("write access logs as text and as JSON, also for rejected clients", async () => {
    using authority = await TestAuthority.create();
    using stranger = await TestAuthority.create();
    const files = await authority.issueHost("shop.example.com");
    const known = await authority.issueHost("known.example.com");
    const unknown = await stranger.issueHost("unknown.example.com");
    await using echo = await startEcho("app");
    const port = await freePort();
    const { certificateChain, privateKey, rootCertificates } = files;
    const server = { serverCertificate: certificateChain, privateKey, caCertificates: rootCertificates };
    using mesh = new MeshDir({
      "gateway.yaml": gateway("tls", { port, tls: { mode: "OPTIONAL_MUTUAL", ...server } }),
      "routes.yaml": routesFrom("tls"),
      "app.yaml": serviceYaml({ name: "app", port: 80, endpoints: [{ port: echo.port }] }),
    });
    using beside = new MeshDir();
    const accessLogFile = join(beside.path, "access.log");
    const settings = join(beside.path, "mesh.yaml");
    beside.write("mesh.yaml", JSON.stringify({ accessLogFile }));
    await using binnacle = await startBinnacle({ dir: mesh.path, args: ["--mesh", settings] });
    const extraArgs = ["--file-flush-interval-msec", "50"];
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode, node: routerNode("tls"), extraArgs });
    await envoy.settled();
    const call = { servername: "shop.example.com", trust: files };
    const ask = async (path: string, shown?: IssuedFiles) => {
      const { body } = await tlsAsk(port, httpText("shop.example.com", path), {
        ...call,
        ...(shown && { client: shown }),
      });
      return read(body);
    };
    const lines = () => readFileSync(accessLogFile, "utf8").split("\n");
    const lineWith = (words: string) => () => lines().find((line) => line.includes(words));

    expect(await ask("/nobody")).toMatchObject({ status: 200 });
    const xfcc = (await ask("/known", known)).reached["x-forwarded-client-cert"];
    expect(xfcc).toContain("DNS=known.example.com");
    await expect(ask("/unknown", unknown)).rejects.toThrow(/alert|ECONNRESET|closed/u);
    expect(await eventually("a line of text", lineWith("/known"), soon)).toMatch(
      /^\[.+\] "GET \/known HTTP\/1.1" 200 - /u,
    );
    await expect(tlsAsk(port, "", { ...call, servername: "other.example.com" })).rejects.toThrow(/ECONNRESET|closed/u);
    expect(await eventually("a line for nobody", lineWith("other.example.com"), soon)).toContain(
      " NR filter_chain_not_found ",
    );
    beside.write("mesh.yaml", JSON.stringify({ accessLogFile, accessLogEncoding: "JSON" }));
    const asJson = async () => {
      await ask("/json");
      return lines().find((line) => line.startsWith("{") && line.includes("/json"));
    };
    const line = await eventually("a line of JSON", asJson, soon);
    expect(JSON.parse(line)).toMatchObject({
      method: "GET",
      path: "/json",
      response_code: 200,
      authority: "shop.example.com",
    });
    expect(await envoy.troubles()).toEqual([]);
  });

  test("accept the PROXY protocol at a gateway", async () => {
    await using echo = await startEcho("app");
    const port = await freePort();
    using mesh = new MeshDir({
      "gateway.yaml": gateway("proxied", { port }),
      "routes.yaml": routesFrom("proxied"),
      "app.yaml": serviceYaml({ name: "app", port: 80, endpoints: [{ port: echo.port }] }),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    const proxyHeaders = {
      server: { value: "shop" },
      requestId: { disabled: true },
      envoyDebugHeaders: { disabled: true },
      preserveHttp1HeaderCase: true,
      xForwardedPort: { enabled: true },
    };
    const tracing = { sampling: 10, maxPathTagLength: 64, customTags: { team: { literal: { value: "shop" } } } };
    const gatewayTopology = { proxyProtocol: {}, numTrustedProxies: 1 };
    const PROXY_CONFIG = { gatewayTopology, proxyHeaders, tracing, connectionSettings: { profile: "EDGE" } };
    const node = routerNode("proxied", { PROXY_CONFIG });
    const wishes = { HTTP10: "1", IDLE_TIMEOUT: "1h30m", OUTBOUND_LISTENER_EXACT_BALANCE: "true" };
    const asking = { ...node, metadata: { ...node.metadata, ...wishes } };
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode, node: asking });
    await envoy.settled();

    const greeting = `PROXY TCP4 203.0.113.7 127.0.0.1 51234 ${port}\r\n`;
    const request = "GET / HTTP/1.0\r\nhost: shop.example.com\r\nX-Forwarded-For: 198.51.100.9\r\n\r\n";
    const answer = await tcpAsk({ port }, greeting + request);
    const { status, reached } = read(answer);
    expect([status, reached["x-forwarded-for"]]).toEqual([200, "198.51.100.9,203.0.113.7"]);
    expect(reached).toHaveProperty("x-forwarded-port");
    expect(reached).not.toHaveProperty("x-request-id");
    expect(answer).toMatch(/\r\nserver: shop\r\n/iu);
    expect(answer).not.toMatch(/x-envoy-upstream-service-time/iu);
    const uninvited = await tcpAsk({ port }, httpText("shop.example.com")).catch(() => "");
    expect(uninvited).not.toContain("200 OK");
    expect(await envoy.troubles()).toEqual([]);
  });

  test("serve ports of every protocol, a Unix socket and an HTTP proxy", async () => {
    await using echo = await startEcho("app");
    using beside = new MeshDir();
    const socketPath = join(beside.path, "egress.sock");
    const protocols = ["HTTP", "TCP", "TLS", "MONGO", "MYSQL", ""];
    const ports = await Promise.all(protocols.map(async (protocol) => ({ protocol, number: await freePort() })));
    const [http, tcp] = ports;
    if (http === undefined || tcp === undefined) throw new Error("there are ports");
    const proxyPort = await freePort();
    using mesh = new MeshDir({
      "app.yaml": objectYaml("ServiceEntry", "app", {
        hosts: [app],
        resolution: "STATIC",
        ports: ports.map((one) => ({ ...one, name: `p-${one.number}`, targetPort: echo.port })),
        endpoints: [{ address: "127.0.0.1" }],
      }),
      "rule.yaml": objectYaml("DestinationRule", "app", {
        host: app,
        trafficPolicy: {
          loadBalancer: { consistentHash: { useSourceIp: true } },
          connectionPool: { tcp: { idleTimeout: "1m", maxConnectionDuration: "1h" } },
        },
      }),
      "sidecar.yaml": objectYaml("Sidecar", "everything", {
        egress: [
          { bind: `unix://${socketPath}`, port: { number: 0, protocol: "HTTP", name: "socket" }, hosts: ["shop/*"] },
          { hosts: ["shop/*"] },
        ],
      }),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    const node = {
      id: "sidecar~127.0.0.9~client-0.shop~shop.svc.cluster.local",
      metadata: {
        NAMESPACE: "shop",
        INSTANCE_IPS: "127.0.0.9",
        INTERCEPTION_MODE: "NONE",
        HTTP_PROXY_PORT: `${proxyPort}`,
        HTTP10: "1",
        IDLE_TIMEOUT: "30s",
        OUTBOUND_LISTENER_EXACT_BALANCE: "true",
      },
    };
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode, node });
    await envoy.settled();

    expect((await get(http.number, "/", { host: "app.shop" })).headers["x-echo"]).toBe("app");
    expect(read(await tcpAsk({ port: tcp.number }, httpText("anything"))).status).toBe(200);
    const byProxy = await tcpAsk({ port: proxyPort }, httpText("x", `http://${app}:${http.number}/`));
    const bySocket = await tcpAsk({ path: socketPath }, httpText(`${app}:${http.number}`));
    expect([read(byProxy).status, read(bySocket).status]).toEqual([200, 200]);
    expect(await envoy.troubles()).toEqual([]);
  });
});
