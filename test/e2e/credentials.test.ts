import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ConnectionOptions, connect } from "node:tls";
import { describe, expect, test } from "vitest";
import { fetchDump } from "../../src/cli/mesh/fetch-dump.ts";
import { readDump } from "../../src/cli/mesh/proxy-dump.ts";
import { explain } from "../../src/explain/explain.ts";
import { ocspStaple, pairs } from "../../src/testing/config/fake-certificates.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";
import { shared } from "./support/shared.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";
import { startHttpsEcho } from "./support/tls/https-echo.ts";
import { certifiedNode } from "./support/tls/mutual-shop.ts";
import { coreYaml, encoded, pairOf, tlsSecret } from "./support/tls/secret-yaml.ts";
import { httpText, tlsAsk } from "./support/tls/tls.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithBoth = await describeWith("kube", "envoy");
const patience = { seconds: 20 };
const sidecar = { name: "client", address: "127.0.0.1" };

/** A Secret with these parts. */
function secret(name: string, parts: Readonly<Record<string, string>>, namespace?: string): string {
  return coreYaml("Secret", name, { data: encoded(parts) }, namespace);
}

function rootsOf({ rootCertificates }: IssuedFiles) {
  return { "ca.crt": readFileSync(rootCertificates, "utf8") };
}

function routes(name: string, hosts: readonly string[], to: string): string {
  const http = [{ route: [{ destination: { host: `${to}.shop.svc.cluster.local` } }] }];
  return objectYaml("VirtualService", name, { hosts, gateways: ["edge"], http }, "istio-system");
}

/** HTTPS hosts on one port, and HTTP hosts with routes to the services of the same names on another. */
function gateway(https: number, plain: number, services: readonly string[]): readonly string[] {
  const secure = (host: string, tls: object) => ({
    port: { number: https, name: host, protocol: "HTTPS" },
    bind: "127.0.0.1",
    hosts: [`${host}.example.com`],
    tls,
  });
  const servers = [
    secure("revoking", { mode: "MUTUAL", credentialName: "revoking" }),
    secure("one", { mode: "SIMPLE", credentialName: "stapled" }),
    secure("both", { mode: "SIMPLE", credentialNames: ["rsa", "ecdsa"] }),
    { port: { number: plain, name: "http", protocol: "HTTP" }, bind: "127.0.0.1", hosts: ["*"] },
  ];
  return [
    objectYaml("Gateway", "edge", { selector: { app: "gw" }, servers }, "istio-system"),
    routes("web", ["*.example.com"], "web"),
    ...services.map((name) => routes(name, [`${name}.egress`], name)),
  ];
}

/** The rule for a service, of a gateway and of a sidecar. */
function rulesFor(name: string, tls: object): readonly string[] {
  const spec = { host: `${name}.shop.svc.cluster.local`, trafficPolicy: { tls } };
  const workloadSelector = { matchLabels: { app: sidecar.name } };
  return [
    objectYaml("DestinationRule", name, spec, "istio-system"),
    objectYaml("DestinationRule", name, { ...spec, workloadSelector }, "shop"),
  ];
}

const rules = {
  mutual: { mode: "MUTUAL", credentialName: "client" },
  simple: { mode: "SIMPLE", credentialName: "roots" },
  distrusting: { mode: "SIMPLE", credentialName: "other-roots" },
  missing: { mode: "MUTUAL", credentialName: "nowhere" },
};

async function openWorld(resources: AsyncDisposableStack) {
  const authority = resources.use(await TestAuthority.create());
  const other = await resources.use(await TestAuthority.create()).issueHost("other");
  const host = await authority.issueHost("revoking.example.com");
  const [good, revoked] = [await authority.issueHost("good"), await authority.issueHost("revoked")];
  const both = [{ type: "dns", value: "both.example.com" }] as const;
  const [rsa, ecdsa] = [await authority.issueRsa("rsa", both), await authority.issueNames("ecdsa", both)];
  const names = Object.keys(rules) as readonly (keyof typeof rules)[];
  const hosts = names.flatMap((name) => [`${name}.egress`, `${name}.shop.svc.cluster.local`]);
  const server = await authority.issueNames(
    "server",
    hosts.map((value) => ({ type: "dns", value })),
  );
  const asks = resources.use(await startHttpsEcho(server, { needsClient: true }));
  const plain = resources.use(await startHttpsEcho(server, { needsClient: false }));
  const web = resources.use(await startEcho("web"));
  const ports = {
    mutual: await freePort(),
    simple: await freePort(),
    distrusting: await freePort(),
    missing: await freePort(),
  };
  const [https, http] = [await freePort(), await freePort()];
  const mesh = resources.use(
    new MeshDir({
      "web.yaml": serviceYaml({ name: "web", port: 80, endpoints: [{ port: web.port }] }),
      "gateway.yaml": gateway(https, http, names).join("---\n"),
      "services.yaml": names
        .map((name) => serviceYaml({ name, port: ports[name], endpoints: [name === "mutual" ? asks : plain] }))
        .join("---\n"),
      "rules.yaml": names.flatMap((name) => rulesFor(name, rules[name])).join("---\n"),
    }),
  );
  const etcd = resources.use(await Etcd.start());
  const clients = ["istio-system", "shop"].flatMap(async (namespace) => {
    const own = await authority.issueHost(`client of ${namespace}`);
    return [
      secret("client", { ...pairOf(own), ...rootsOf(own) }, namespace),
      secret("roots", rootsOf(own), namespace),
      secret("other-roots", rootsOf(other), namespace),
    ];
  });
  const secrets = [
    secret("revoking", { ...pairOf(host), ...rootsOf(host), "ca.crl": await authority.revoke(revoked) }),
    coreYaml("Secret", "stapled", {
      data: {
        ...encoded({ "tls.crt": pairs.one.certificate, "tls.key": pairs.one.key }),
        "tls.ocsp-staple": ocspStaple,
      },
    }),
    tlsSecret("rsa", rsa),
    tlsSecret("ecdsa", ecdsa),
    ...(await Promise.all(clients)).flat(),
  ];
  const store = etcd.url("mesh");
  const applied = await runCommand(["apply", "-f", "-", "--store", store], { input: secrets.join("---\n") });
  expect(applied).toMatchObject({ code: 0, stderr: "" });
  const args = ["--source", store, "--allow-plaintext-secrets", "on"];
  const binnacle = resources.use(await startBinnacle({ dir: mesh.path, args }));
  const node = certifiedNode(sidecar.name, sidecar.address, await authority.issue("shop", "client"));
  const [edge, client] = await Promise.all([
    startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta" }),
    startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta", node }),
  ]);
  resources.use(edge);
  resources.use(client);
  return { https, http, ports, host, good, revoked, stranger: other, binnacle, edge, client, node };
}

describeWithBoth("credentials from etcd in real Envoys", () => {
  const world = shared(openWorld);

  describe("at a gateway", () => {
    test("reject a revoked client, and accept others", async () => {
      const { https, host, good, revoked, stranger } = world();
      const servername = "revoking.example.com";
      const ask = (client: IssuedFiles) => tlsAsk(https, httpText(servername), { servername, trust: host, client });
      const served = await eventually("the gateway accepts a client", () => ask(good), patience);
      expect(served.body).toContain("x-echo: web");
      await expect(ask(revoked)).rejects.toThrow(/certificate revoked|ECONNRESET/u);
      await expect(ask(stranger)).rejects.toThrow(/unknown ca|ECONNRESET/u);
    });

    test("explain predicts which clients they reject", async () => {
      const { https, good, revoked, stranger, binnacle } = world();
      const predicted = async (client: IssuedFiles) => {
        const from = ["--server", `127.0.0.1:${binnacle.httpPort}`, "--from", gatewayNode.id];
        const shown = ["--client-certificate", client.certificateChain];
        const { code, stdout } = await runCommand([
          "explain",
          ...from,
          ...shown,
          `https://revoking.example.com:${https}/`,
        ]);
        return { code, text: stdout.replaceAll(/\s+/gu, " ") };
      };
      expect(await predicted(good)).toEqual({ code: 0, text: expect.not.stringMatching(/not evaluated|unknown/u) });
      expect(await predicted(revoked)).toEqual({
        code: 1,
        text: expect.stringContaining("is revoked by an authority in secret kubernetes://revoking-cacert"),
      });
      expect(await predicted(stranger)).toEqual({
        code: 1,
        text: expect.stringContaining("is not signed by an authority in secret kubernetes://revoking-cacert"),
      });
    });

    test("staple the OCSP response to the handshake", async () => {
      const { https } = world();
      const staple = async () => {
        const socket = connect({ host: "127.0.0.1", port: https, servername: "one.example.com", ...anyServer });
        const [response] = (await once(socket, "OCSPResponse")) as [Buffer | null];
        socket.destroy();
        return response?.toString("base64");
      };
      expect(await eventually("the gateway serves the host", staple, patience)).toBe(ocspStaple);
    });

    test.each([
      ["rsa", "ECDHE-RSA-AES128-GCM-SHA256"],
      ["ecdsa", "ECDHE-ECDSA-AES128-GCM-SHA256"],
    ])("present the %s certificate to clients that need it", async (expected, ciphers) => {
      const { https } = world();
      const presented = async () => {
        const only = { ciphers, maxVersion: "TLSv1.2" } as const;
        const socket = connect({
          host: "127.0.0.1",
          port: https,
          servername: "both.example.com",
          ...only,
          ...anyServer,
        });
        await once(socket, "secureConnect");
        const { subject } = socket.getPeerCertificate();
        socket.destroy();
        return subject.CN;
      };
      expect(await eventually("the gateway serves the host", presented, patience)).toBe(expected);
    });
  });

  describe.each(["gateway", "sidecar"] as const)("of DestinationRules, at a %s", (place) => {
    /** The answer to a request that the proxy forwards to the service. */
    async function answer(service: keyof typeof rules) {
      const { http, ports } = world();
      const { status, body } =
        place === "gateway"
          ? await get(http, "/", { host: `${service}.egress` })
          : await get(ports[service], "/", { host: `${service}.shop.svc.cluster.local` });
      return status === 200 ? body : status;
    }

    /** The prediction of explain. */
    async function predicted(service: keyof typeof rules) {
      const { http, ports, node, binnacle } = world();
      const id = place === "gateway" ? gatewayNode.id : node.id;
      const { config } = readDump(await fetchDump(`127.0.0.1:${binnacle.httpPort}`, id));
      const target =
        place === "gateway"
          ? { host: `${service}.egress`, port: http, direction: "gateway" as const }
          : { host: `${service}.shop.svc.cluster.local`, port: ports[service] };
      return explain(config, { path: "/", method: "GET", headers: {}, address: "127.0.0.1", ...target }).outcome;
    }

    test("present the certificate, and trust its authority", async () => {
      const expected = place === "gateway" ? "client of istio-system" : "client of shop";
      await eventually("mutual TLS succeeds", async () => (await answer("mutual")) === expected, patience);
      expect(await predicted("mutual")).toMatchObject({ type: "forwarded" });
    });

    test("trust a server without showing a certificate", async () => {
      await eventually("TLS succeeds", async () => (await answer("simple")) === "nobody", patience);
      expect(await predicted("simple")).toMatchObject({ type: "forwarded" });
    });

    test("distrust a server of another authority", async () => {
      await eventually("TLS succeeds", async () => (await answer("simple")) === "nobody", patience);
      expect(await answer("distrusting")).toBe(503);
    });

    test("that are missing fail requests, and explain names them", async () => {
      await eventually("TLS succeeds", async () => (await answer("simple")) === "nobody", patience);
      expect(await answer("missing")).toBe(503);
      expect(await predicted("missing")).toMatchObject({
        type: "refused",
        status: 503,
        reason: expect.stringContaining("kubernetes://nowhere"),
      });
    });
  });
});

/** Options of a client that looks at the handshake alone. */
const anyServer: ConnectionOptions = { rejectUnauthorized: false, requestOCSP: true };
