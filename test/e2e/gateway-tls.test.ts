import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { type CertificateFiles, TestAuthority } from "./support/tls/certificates.ts";
import { httpText, startTlsPeer, tlsAsk } from "./support/tls/tls.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const modes = ["sotw", "delta"] as const;
const selector = { app: "gw" };

/** Every cipher suite of TLS 1.2 that may be asked for, and one that nobody has. */
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

function gateway(...servers: readonly ServerSpec[]): string {
  const bound = servers.map((server) => ({ ...server, bind: "127.0.0.1" }));
  return objectYaml("Gateway", "edge", { selector, servers: bound });
}

/** A VirtualService of the gateway, with routes of one kind to services of namespace `shop`. */
function routes(name: string, host: string, rest: object): string {
  return objectYaml("VirtualService", name, { hosts: [host], gateways: ["edge"], ...rest });
}

function to(name: string): readonly object[] {
  return [{ destination: { host: `${name}.shop.svc.cluster.local` } }];
}

function files({ certificateChain, privateKey, rootCertificates }: CertificateFiles, mode: string): object {
  const own = { mode, serverCertificate: certificateChain, privateKey };
  return mode === "SIMPLE" ? own : { ...own, caCertificates: rootCertificates };
}

function service(name: string, { port }: { readonly port: number }, protocol = "HTTP"): string {
  return serviceYaml({ name, port: 80, protocol, endpoints: [{ port }] });
}

/** Who answered a request over HTTPS, and which certificate was shown. */
async function who(port: number, servername: string, trust: CertificateFiles, client?: CertificateFiles) {
  const { subject, body } = await tlsAsk(port, httpText(servername), { servername, trust, ...(client && { client }) });
  return { subject, answeredBy: /x-echo: (\S+)/u.exec(body)?.[1] };
}

describeWithEnvoy("a real Envoy as router, with TLS", () => {
  test.each(modes)(
    "ends HTTPS by the name it is asked for, lets in whom it should, and follows edits, %s",
    async (mode) => {
      using authority = await TestAuthority.create();
      const [shop, pay, client] = await Promise.all(
        ["shop.example.com", "pay.example.com", "client.example.com"].map((name) => authority.issueHost(name)),
      );
      if (shop === undefined || pay === undefined || client === undefined) throw new Error("three names, three files");
      await using one = await startEcho("one");
      await using two = await startEcho("two");
      const [https, plain] = [await freePort(), await freePort()];
      const simple = { ...files(shop, "SIMPLE"), minProtocolVersion: "TLSV1_2", cipherSuites: suites };
      const servers = (payTls: object): string =>
        gateway(
          { port: { number: https, name: "shop", protocol: "HTTPS" }, hosts: ["shop.example.com"], tls: simple },
          { port: { number: https, name: "pay", protocol: "HTTPS" }, hosts: ["pay.example.com"], tls: payTls },
          { port: { number: plain, name: "http", protocol: "HTTP" }, hosts: ["*"], tls: { httpsRedirect: true } },
        );
      using mesh = new MeshDir({
        "gateway.yaml": servers({ ...files(pay, "MUTUAL"), subjectAltNames: ["client.example.com"] }),
        "services.yaml": `${service("one", one)}---\n${service("two", two)}`,
        "shop.yaml": routes("shop", "shop.example.com", { http: [{ route: to("one") }] }),
        "pay.yaml": routes("pay", "pay.example.com", { http: [{ route: to("two") }] }),
      });
      await using binnacle = await startBinnacle({ dir: mesh.path });
      await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode });
      await envoy.settled();

      expect(await who(https, "shop.example.com", shop)).toEqual({ subject: "shop.example.com", answeredBy: "one" });
      const asClient = await who(https, "pay.example.com", pay, client);
      expect(asClient).toEqual({ subject: "pay.example.com", answeredBy: "two" });
      await expect(who(https, "pay.example.com", pay)).rejects.toThrow(/certificate required|ECONNRESET/u);
      await expect(who(https, "pay.example.com", pay, shop)).rejects.toThrow(/alert|ECONNRESET/u);
      await expect(who(https, "elsewhere.example.com", shop)).rejects.toThrow(/ECONNRESET|closed/u);
      const redirected = await get(plain, "/a", { host: "shop.example.com" });
      expect([redirected.status, redirected.headers.location]).toEqual([301, "https://shop.example.com/a"]);

      mesh.write("gateway.yaml", servers(files(pay, "OPTIONAL_MUTUAL")));
      const letIn = () => who(https, "pay.example.com", pay).catch(() => undefined);
      expect(await eventually("nobody has to show a certificate", letIn, { seconds: 20 })).toEqual(asClient);
      mesh.write("shop.yaml", routes("shop", "shop.example.com", { http: [{ route: to("two") }] }));
      const moved = async () => (await who(https, "shop.example.com", shop)).answeredBy === "two";
      await eventually("the shop is answered by two", moved, { seconds: 20 });
      expect(await envoy.troubles()).toEqual([]);
    },
  );

  test.each(modes)("passes TLS on by its name and bytes as they are, and follows edits, %s", async (mode) => {
    using authority = await TestAuthority.create();
    const [one, two, db] = await Promise.all(
      ["one.example.com", "two.example.com", "db.example.com"].map((name) => authority.issueHost(name)),
    );
    if (one === undefined || two === undefined || db === undefined) throw new Error("three names, three files");
    await using first = await startTlsPeer("one", one);
    await using second = await startTlsPeer("two", two);
    await using web = await startEcho("web");
    const [pass, term, raw] = [await freePort(), await freePort(), await freePort()];
    const byName = (host: string, name: string): object => ({ match: [{ sniHosts: [host] }], route: to(name) });
    const passed = (...tls: readonly object[]) => routes("pass", "*.example.com", { tls });
    using mesh = new MeshDir({
      "gateway.yaml": gateway(
        {
          port: { number: pass, name: "pass", protocol: "TLS" },
          hosts: ["*.example.com"],
          tls: { mode: "PASSTHROUGH" },
        },
        { port: { number: term, name: "term", protocol: "TLS" }, hosts: ["db.example.com"], tls: files(db, "SIMPLE") },
        { port: { number: raw, name: "raw", protocol: "TCP" }, hosts: ["*"] },
      ),
      "services.yaml": [service("one", first, "TLS"), service("two", second, "TLS"), service("web", web, "TCP")].join(
        "---\n",
      ),
      "pass.yaml": passed(byName("one.example.com", "one"), byName("two.example.com", "two")),
      "bytes.yaml": routes("bytes", "*", { tcp: [{ match: [{ port: term }, { port: raw }], route: to("web") }] }),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode });
    await envoy.settled();

    const reach = (servername: string) => tlsAsk(pass, "", { servername, trust: one });
    expect(await reach("one.example.com")).toEqual({ subject: "one.example.com", body: "one" });
    expect(await reach("two.example.com")).toEqual({ subject: "two.example.com", body: "two" });
    await expect(reach("three.example.com")).rejects.toThrow(/ECONNRESET|closed/u);
    expect(await who(term, "db.example.com", db)).toEqual({ subject: "db.example.com", answeredBy: "web" });
    expect(await tcpAsk(raw, httpText("anything"))).toContain("x-echo: web");

    mesh.write("pass.yaml", passed(byName("two.example.com", "two")));
    const refused = () =>
      reach("one.example.com").then(
        () => undefined,
        () => true,
      );
    await eventually("nobody takes connections for one", refused, { seconds: 20 });
    expect((await reach("two.example.com")).body).toBe("two");
    mesh.remove("bytes.yaml");
    const closed = () =>
      tcpAsk(raw, "").then(
        () => undefined,
        () => true,
      );
    await eventually("without a route nobody listens", closed, { seconds: 20 });
    expect(await envoy.troubles()).toEqual([]);
  });

  test.each(modes)("passes the mesh's own TLS on by the cluster it asks for, %s", async (mode) => {
    using authority = await TestAuthority.create();
    const files = await authority.issue("shop", "one");
    await using peer = await startTlsPeer("one", files);
    const port = await freePort();
    const tls = { mode: "AUTO_PASSTHROUGH" };
    using mesh = new MeshDir({
      "gateway.yaml": gateway({ port: { number: port, name: "auto", protocol: "TLS" }, hosts: ["*.local"], tls }),
      "one.yaml": serviceYaml({ name: "one", port: 80, endpoints: [{ port: peer.port, serviceAccount: "one" }] }),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode });
    await envoy.settled();

    const servername = "outbound_.80_._.one.shop.svc.cluster.local";
    const call = { servername, trust: files, anyName: true };
    expect(await tlsAsk(port, "", { ...call, alpn: ["istio"] })).toEqual({ subject: "one", body: "one" });
    await expect(tlsAsk(port, "", call)).rejects.toThrow(/ECONNRESET|closed/u);
    mesh.write(
      "more.yaml",
      serviceYaml({ name: "more", port: 80, endpoints: [{ port: peer.port, serviceAccount: "one" }] }),
    );
    const more = { ...call, alpn: ["istio"], servername: servername.replace("one", "more") };
    const reached = () => tlsAsk(port, "", more).catch(() => undefined);
    expect(await eventually("a new service is reached", reached, { seconds: 20 })).toMatchObject({ body: "one" });
    expect(await envoy.troubles()).toEqual([]);
  });

  test.each(modes)(
    "waits for a secret that nobody has only where it is asked for, and not for ever, %s",
    async (mode) => {
      await using web = await startEcho("web");
      const [https, plain] = [await freePort(), await freePort()];
      const tls = { mode: "SIMPLE", credentialName: "nobody-has-it" };
      using mesh = new MeshDir({
        "gateway.yaml": gateway(
          { port: { number: https, name: "https", protocol: "HTTPS" }, hosts: ["*"], tls },
          { port: { number: plain, name: "http", protocol: "HTTP" }, hosts: ["*"] },
        ),
        "web.yaml": service("web", web),
        "routes.yaml": routes("web", "shop.example.com", { http: [{ route: to("web") }] }),
      });
      using authority = await TestAuthority.create();
      const trust = await authority.issueHost("shop.example.com");
      await using binnacle = await startBinnacle({ dir: mesh.path });
      await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode });
      const served = async () => (await get(plain, "/", { host: "shop.example.com" })).headers["x-echo"] === "web";
      await eventually("plain HTTP is served", served, { seconds: 20 });
      await envoy.settled({ seconds: 30 });
      await expect(who(https, "shop.example.com", trust)).rejects.toThrow(/ECONNRESET|closed/u);
    },
  );
});

/** Sends text as it is, and reads until the other side ends. */
async function tcpAsk(port: number, sent: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  await once(socket, "connect");
  socket.write(sent);
  return text(socket);
}
