import { describe, expect, test } from "vitest";
import { explain } from "../../src/explain/explain.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { secretType } from "../../src/xds/type-urls.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { tcpAsk } from "./support/tcp.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";
import { httpText, startTlsPeer, tlsAsk } from "./support/tls/tls.ts";
import { configOf } from "./support/xds/held-config.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const modes = ["sotw", "delta"] as const;
const selector = { app: "gw" };
const patience = { seconds: 20 };

/** Every cipher suite of TLS 1.2 that users may configure, and an unknown one. */
const suites = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-ECDSA-AES128-SHA",
  "ECDHE-RSA-AES128-SHA",
  "ECDHE-ECDSA-AES256-SHA",
  "ECDHE-RSA-AES256-SHA",
  "AES128-GCM-SHA256",
  "AES256-GCM-SHA384",
  "AES128-SHA",
  "AES256-SHA",
  "ROT13",
];

interface ServerSpec {
  readonly port: { readonly number: number; readonly name: string; readonly protocol: string };
  readonly hosts: readonly string[];
  readonly tls?: object;
}

function gateway(name: string, ...servers: readonly ServerSpec[]): string {
  const bound = servers.map((server) => ({ ...server, bind: "127.0.0.1" }));
  return objectYaml("Gateway", name, { selector, servers: bound });
}

/** A VirtualService of a gateway, with routes of one kind to services of namespace `shop`. */
function routes(name: string, edge: string, host: string, rest: object): string {
  return objectYaml("VirtualService", name, { hosts: [host], gateways: [edge], ...rest });
}

function to(name: string): readonly object[] {
  return [{ destination: { host: `${name}.shop.svc.cluster.local` } }];
}

function files({ certificateChain, privateKey, rootCertificates }: IssuedFiles, mode: string): object {
  const own = { mode, serverCertificate: certificateChain, privateKey };
  return mode === "SIMPLE" ? own : { ...own, caCertificates: rootCertificates };
}

function service(name: string, { port }: { readonly port: number }, protocol = "HTTP"): string {
  return serviceYaml({ name, port: 80, protocol, endpoints: [{ port }] });
}

/** The workload that answered a request over HTTPS, and the certificate that the server presented. */
async function who(port: number, servername: string, trust: IssuedFiles, client?: IssuedFiles) {
  const { subject, body } = await tlsAsk(port, httpText(servername), { servername, trust, ...(client && { client }) });
  return { subject, answeredBy: /x-echo: (\S+)/u.exec(body)?.[1] };
}

/**
 * TLS termination at a gateway: two hosts at one port, of which the second requires a client certificate, and their
 * routes.
 */
function ending(ports: Ports, shop: IssuedFiles, payTls: object): string {
  const simple = { ...files(shop, "SIMPLE"), minProtocolVersion: "TLSV1_2", cipherSuites: suites };
  return gateway(
    "ending",
    { port: { number: ports.https, name: "shop", protocol: "HTTPS" }, hosts: ["shop.example.com"], tls: simple },
    { port: { number: ports.https, name: "pay", protocol: "HTTPS" }, hosts: ["pay.example.com"], tls: payTls },
    { port: { number: ports.plain, name: "http", protocol: "HTTP" }, hosts: ["*"], tls: { httpsRedirect: true } },
  );
}

/** Forwarding: TLS passthrough by SNI, terminated TLS, and plain TCP. */
function passing({ pass, term, raw }: Ports, db: IssuedFiles): string {
  const tls = { mode: "PASSTHROUGH" };
  return gateway(
    "passing",
    { port: { number: pass, name: "pass", protocol: "TLS" }, hosts: ["*.example.com"], tls },
    { port: { number: term, name: "term", protocol: "TLS" }, hosts: ["db.example.com"], tls: files(db, "SIMPLE") },
    { port: { number: raw, name: "raw", protocol: "TCP" }, hosts: ["*"] },
  );
}

/** The mesh's own mTLS, forwarded by the cluster name in its SNI. */
function passingOurs({ auto }: Ports): string {
  const port = { number: auto, name: "auto", protocol: "TLS" };
  return gateway("ours", { port, hosts: ["*.local"], tls: { mode: "AUTO_PASSTHROUGH" } });
}

function passedByName(...names: readonly string[]): string {
  const tls = names.map((name) => ({ match: [{ sniHosts: [`${name}.example.com`] }], route: to(name) }));
  return routes("pass", "passing", "*.example.com", { tls });
}

type Ports = Readonly<Record<"https" | "plain" | "pass" | "term" | "raw" | "auto", number>>;

async function certificatesOf(authority: TestAuthority) {
  const issue = (name: string) => authority.issueHost(`${name}.example.com`);
  return {
    shop: await issue("shop"),
    pay: await issue("pay"),
    client: await issue("client"),
    one: await issue("one"),
    two: await issue("two"),
    db: await issue("db"),
    ours: await authority.issue("shop", "ours"),
  };
}

/** One Envoy for all TLS features of a gateway, each on its own ports. */
async function openWorld(resources: AsyncDisposableStack, mode: (typeof modes)[number]) {
  const authority = resources.use(await TestAuthority.create());
  const certificates = await certificatesOf(authority);
  const [web, other] = [resources.use(await startEcho("web")), resources.use(await startEcho("other"))];
  const one = resources.use(await startTlsPeer("one", certificates.one));
  const two = resources.use(await startTlsPeer("two", certificates.two));
  const ours = resources.use(await startTlsPeer("ours", certificates.ours));
  const ports = {
    https: await freePort(),
    plain: await freePort(),
    pass: await freePort(),
    term: await freePort(),
    raw: await freePort(),
    auto: await freePort(),
  };
  const { shop, pay, db } = certificates;
  const bytes = { match: [{ port: ports.term }, { port: ports.raw }], route: to("bytes") };
  const mesh = resources.use(
    new MeshDir({
      "services.yaml": [service("web", web), service("other", other), service("bytes", web, "TCP")].join("---\n"),
      "peers.yaml": [service("one", one, "TLS"), service("two", two, "TLS")].join("---\n"),
      "ours.yaml": certified("ours", ours),
      "ending.yaml": ending(ports, shop, { ...files(pay, "MUTUAL"), subjectAltNames: ["client.example.com"] }),
      "shop.yaml": routes("shop", "ending", "shop.example.com", { http: [{ route: to("web") }] }),
      "pay.yaml": routes("pay", "ending", "pay.example.com", { http: [{ route: to("other") }] }),
      "passing.yaml": passing(ports, db),
      "pass.yaml": passedByName("one", "two"),
      "bytes.yaml": routes("bytes", "passing", "*", { tcp: [bytes] }),
      "passing-ours.yaml": passingOurs(ports),
    }),
  );
  const { xdsPort } = resources.use(await startBinnacle({ dir: mesh.path }));
  const envoy = resources.use(await startEnvoy({ xdsPort, mode }));
  await envoy.settled();
  return { certificates, ports, ours, mesh, envoy };
}

/** A service whose workload has a certificate of the mesh. */
function certified(name: string, { port }: { readonly port: number }): string {
  return serviceYaml({ name, port: 80, endpoints: [{ port, serviceAccount: "ours" }] });
}

/** True if the attempt fails. */
function fails(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => false,
    () => true,
  );
}

describeWithEnvoy("a real Envoy as router, with TLS", () => {
  describe.each(modes)("%s", (mode) => {
    const world = shared((resources) => openWorld(resources, mode));

    test("terminates HTTPS by SNI, admits only clients with valid certificates, and follows edits", async () => {
      const { certificates, ports, mesh, envoy } = world();
      const { shop, pay, client } = certificates;
      const { https, plain } = ports;
      expect(await who(https, "shop.example.com", shop)).toEqual({ subject: "shop.example.com", answeredBy: "web" });
      const asClient = await who(https, "pay.example.com", pay, client);
      expect(asClient).toEqual({ subject: "pay.example.com", answeredBy: "other" });
      await expect(who(https, "pay.example.com", pay)).rejects.toThrow(/certificate required|ECONNRESET/u);
      await expect(who(https, "pay.example.com", pay, shop)).rejects.toThrow(/alert|ECONNRESET/u);
      await expect(who(https, "elsewhere.example.com", shop)).rejects.toThrow(/ECONNRESET|closed/u);
      const redirected = await get(plain, "/a", { host: "shop.example.com" });
      expect([redirected.status, redirected.headers.location]).toEqual([301, "https://shop.example.com/a"]);

      mesh.write("ending.yaml", ending(ports, shop, files(pay, "OPTIONAL_MUTUAL")));
      const letIn = () => who(https, "pay.example.com", pay);
      expect(await eventually("nobody has to show a certificate", letIn, patience)).toEqual(asClient);
      mesh.write("shop.yaml", routes("shop", "ending", "shop.example.com", { http: [{ route: to("other") }] }));
      const moved = async () => (await who(https, "shop.example.com", shop)).answeredBy === "other";
      await eventually("the shop is answered by the other", moved, patience);
      expect(await envoy.troubles()).toEqual([]);
    });

    test("passes TLS through by SNI and forwards plain TCP, and follows edits", async () => {
      const { certificates, ports, mesh, envoy } = world();
      const { pass, term, raw } = ports;
      const reach = (servername: string) => tlsAsk(pass, "", { servername, trust: certificates.one });
      expect(await reach("one.example.com")).toEqual({ subject: "one.example.com", body: "one" });
      expect(await reach("two.example.com")).toEqual({ subject: "two.example.com", body: "two" });
      await expect(reach("three.example.com")).rejects.toThrow(/ECONNRESET|closed/u);
      const inside = await who(term, "db.example.com", certificates.db);
      expect(inside).toEqual({ subject: "db.example.com", answeredBy: "web" });
      expect(await tcpAsk({ port: raw }, httpText("anything"))).toContain("x-echo: web");

      mesh.write("pass.yaml", passedByName("two"));
      await eventually("nobody takes connections for one", () => fails(reach("one.example.com")), patience);
      expect((await reach("two.example.com")).body).toBe("two");
      mesh.remove("bytes.yaml");
      await eventually(
        "without a route nobody listens",
        () => fails(tcpAsk({ port: raw }, httpText("anything"))),
        patience,
      );
      expect(await envoy.troubles()).toEqual([]);
    });

    test("passes the mesh's own mTLS through by the cluster name in its SNI", async () => {
      const { certificates, ports, ours, mesh, envoy } = world();
      const servername = "outbound_.80_._.ours.shop.svc.cluster.local";
      const call = { servername, trust: certificates.ours, anyName: true };
      const answered = { subject: "ours", body: "ours" };
      expect(await tlsAsk(ports.auto, "", { ...call, alpn: ["istio"] })).toEqual(answered);
      await expect(tlsAsk(ports.auto, "", call)).rejects.toThrow(/ECONNRESET|closed/u);
      mesh.write("more.yaml", certified("more", ours));
      const more = { ...call, alpn: ["istio"], servername: servername.replace("ours", "more") };
      const reached = () => tlsAsk(ports.auto, "", more);
      expect(await eventually("a new service is reached", reached, patience)).toEqual(answered);
      expect(await envoy.troubles()).toEqual([]);
    });
  });

  test.each(modes)("waits for a missing secret only where it is needed, and not for ever, %s", async (mode) => {
    await using web = await startEcho("web");
    const [https, plain] = [await freePort(), await freePort()];
    const tls = { mode: "SIMPLE", credentialName: "nobody-has-it" };
    using mesh = new MeshDir({
      "gateway.yaml": gateway(
        "edge",
        { port: { number: https, name: "https", protocol: "HTTPS" }, hosts: ["*"], tls },
        { port: { number: plain, name: "http", protocol: "HTTP" }, hosts: ["*"] },
      ),
      "web.yaml": service("web", web),
      "routes.yaml": routes("web", "edge", "shop.example.com", { http: [{ route: to("web") }] }),
    });
    using authority = await TestAuthority.create();
    const trust = await authority.issueHost("shop.example.com");
    await using binnacle = await startBinnacle({ dir: mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode });
    const served = async () => (await get(plain, "/", { host: "shop.example.com" })).headers["x-echo"] === "web";
    await eventually("plain HTTP is served", served, patience);
    await envoy.settled({ seconds: 30 });
    await expect(who(https, "shop.example.com", trust)).rejects.toThrow(/ECONNRESET|closed/u);
    const config = await configOf(gatewayNode, binnacle.xdsPort, []);
    const call = { host: "shop.example.com", path: "/", method: "GET", headers: {} };
    expect(explain(config, { ...call, port: https, protocol: "tls", direction: "gateway" }).outcome).toMatchObject({
      type: "refused",
      reason: expect.stringContaining("needs secret kubernetes://nobody-has-it"),
    });
    const [gatewayStatus] = JSON.parse((await get(binnacle.httpPort, "/debug/syncz")).body);
    expect(gatewayStatus.resources[secretType]).toMatchObject({ type: "SDS", state: "NOT SENT" });
  });
});
