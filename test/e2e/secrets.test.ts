import type { ChannelCredentials } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { secretType } from "../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { type EnvoyNode, gatewayNode } from "./support/envoy/bootstrap.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";
import { mutualSecret, tlsSecret } from "./support/tls/secret-yaml.ts";
import { outcome, tlsFlags, tlsPort, withCertificate } from "./support/tls/secure-xds.ts";
import { httpText, tlsAsk } from "./support/tls/tls.ts";
import { DeltaClient } from "./support/xds/ads-client.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const modes = ["sotw", "delta"] as const;
const patience = { seconds: 20 };

interface Server {
  readonly host: string;
  readonly tls: object;
}

/** A gateway with several HTTPS hosts on one port, and their routes. */
function gateway(port: number, servers: readonly Server[]): string {
  const spec = {
    selector: { app: "gw" },
    servers: servers.map(({ host, tls }, index) => ({
      port: { number: port, name: `https-${index}`, protocol: "HTTPS" },
      bind: "127.0.0.1",
      hosts: [`${host}.example.com`],
      tls,
    })),
  };
  const http = [{ route: [{ destination: { host: "web.shop.svc.cluster.local" } }] }];
  const routes = objectYaml("VirtualService", "web", { hosts: ["*.example.com"], gateways: ["edge"], http });
  return `${objectYaml("Gateway", "edge", spec)}---\n${routes}`;
}

async function openWorld(resources: AsyncDisposableStack, mode: (typeof modes)[number]) {
  const authority = resources.use(await TestAuthority.create());
  const [shop, pay] = [await authority.issueHost("shop.example.com"), await authority.issueHost("pay.example.com")];
  const client = await authority.issueHost("client.example.com");
  const web = resources.use(await startEcho("web"));
  const port = await freePort();
  const mesh = resources.use(
    new MeshDir({
      "web.yaml": serviceYaml({ name: "web", port: 80, endpoints: [{ port: web.port }] }),
      "gateway.yaml": gateway(port, [
        { host: "shop", tls: { mode: "SIMPLE", credentialName: "shop" } },
        { host: "pay", tls: { mode: "MUTUAL", credentialName: "pay" } },
        { host: "late", tls: { mode: "SIMPLE", credentialName: "late" } },
      ]),
      "shop.yaml": tlsSecret("shop", shop),
      "pay.yaml": mutualSecret("pay", pay),
    }),
  );
  const binnacle = resources.use(await startBinnacle({ dir: mesh.path, args: ["--allow-plaintext-secrets", "on"] }));
  const envoy = resources.use(await startEnvoy({ xdsPort: binnacle.xdsPort, mode }));
  const ask = async (host: string, as?: IssuedFiles) => {
    const servername = `${host}.example.com`;
    return await tlsAsk(port, httpText(servername), { servername, trust: shop, ...(as && { client: as }) });
  };
  return { authority, client, mesh, binnacle, envoy, ask };
}

/** The states of the secrets that the gateway asks for, by name. */
async function secretsOf({ httpPort }: BinnacleProcess, node: EnvoyNode = gatewayNode) {
  const { status, body } = await get(httpPort, `/debug/secretz?proxyID=${encodeURIComponent(node.id)}`);
  if (status !== 200) return {};
  const { secrets } = JSON.parse(body) as { secrets: readonly { name: string; state: string; reason?: string }[] };
  return Object.fromEntries(secrets.map(({ name, state, reason }) => [name, reason ?? state]));
}

describeWithEnvoy("a gateway with credentials from Secrets in files", () => {
  describe.each(modes)("%s", (mode) => {
    const world = shared((resources) => openWorld(resources, mode));

    test("serves HTTPS and mutual TLS, and only the server without its Secret waits", async () => {
      const { ask, client } = world();
      const served = () => ask("shop");
      expect(await eventually("HTTPS is served", served, patience)).toMatchObject({ subject: "shop.example.com" });
      expect((await ask("pay", client)).body).toContain("x-echo: web");
      await expect(ask("pay")).rejects.toThrow(/certificate required|ECONNRESET/u);
      await expect(ask("late")).rejects.toThrow(/ECONNRESET|closed/u);
    });

    test("rotates a certificate without touching the listener, and keeps the last good one", async () => {
      const { ask, authority, envoy, mesh, binnacle } = world();
      await eventually("HTTPS is served", () => ask("shop"), patience);
      const before = await envoy.stats("listener_manager.*(modified|in_place|added|lds.version)");
      const rotated = await authority.issueNames("rotated", [{ type: "dns", value: "shop.example.com" }]);
      mesh.write("shop.yaml", tlsSecret("shop", rotated));
      await eventually(
        "the new certificate is served",
        async () => (await ask("shop")).subject === "rotated",
        patience,
      );
      const other = await authority.issueHost("other.example.com");
      mesh.write("shop.yaml", tlsSecret("shop", { ...rotated, privateKey: other.privateKey }));
      await binnacle.logged("config rejected");
      expect((await ask("shop")).subject).toBe("rotated");
      mesh.remove("shop.yaml");
      const missing = async () => (await secretsOf(binnacle))["kubernetes://shop"] === "missing";
      await eventually("the deleted Secret is missing", missing, patience);
      expect((await ask("shop")).subject).toBe("rotated");
      mesh.write("late.yaml", tlsSecret("late", await authority.issueHost("late.example.com")));
      await eventually("the late Secret is used", () => ask("late"), patience);
      expect(await envoy.stats("listener_manager.*(modified|in_place|added|lds.version)")).toEqual(before);
      expect(await envoy.troubles()).toEqual([]);
    });
  });
});

/** The names of the secrets in the first answer. */
async function secretsSentTo(port: number, node: EnvoyNode, names: readonly string[], shown?: ChannelCredentials) {
  using client = new DeltaClient(port, node, shown);
  client.subscribe(secretType, names);
  const { resources } = await client.next(secretType, { seconds: 20 });
  return resources.map(({ name }) => name).toSorted();
}

describe("private keys", () => {
  const world = shared(async (resources) => {
    const authority = resources.use(await TestAuthority.create());
    const [shop, own] = [await authority.issueHost("shop.example.com"), await authority.issueServer("binnacle")];
    const server = { port: { number: 8443, name: "https", protocol: "HTTPS" }, hosts: ["*"] };
    const credentialNames = ["shop", "kubernetes://bank/shop"];
    const edge = { selector: { app: "gw" }, servers: [{ ...server, tls: { mode: "MUTUAL", credentialNames } }] };
    const mesh = resources.use(
      new MeshDir({
        "gateway.yaml": objectYaml("Gateway", "edge", edge),
        "shop.yaml": mutualSecret("shop", shop),
        "bank.yaml": tlsSecret("shop", shop, "bank"),
        "unused.yaml": tlsSecret("unused", shop),
      }),
    );
    const open = resources.use(await startBinnacle({ dir: mesh.path }));
    const closed = resources.use(await startBinnacle({ dir: mesh.path, args: tlsFlags(own) }));
    return { authority, open, closed, port: await tlsPort(closed) };
  });
  const all = ["kubernetes://shop", "kubernetes://shop-cacert", "kubernetes://bank/shop", "kubernetes://unused"];

  test("are sent over TLS to an authenticated proxy of the namespace, if its configuration names them", async () => {
    const { authority, port } = world();
    const shown = withCertificate(await authority.issue("istio-system", "gw"));
    expect(await secretsSentTo(port, gatewayNode, all, shown)).toEqual([
      "kubernetes://shop",
      "kubernetes://shop-cacert",
    ]);
  });

  test("are not sent to a proxy of another namespace, whatever name it uses", async () => {
    const { authority, port } = world();
    const node = { id: "router~127.0.0.1~gw-0.thief~thief.svc.cluster.local", metadata: { LABELS: { app: "gw" } } };
    const shown = withCertificate(await authority.issue("thief", "gw"));
    const names = ["istio-system/shop", "istio-system/shop-cacert", "bank/shop"].map((name) => `kubernetes://${name}`);
    expect(await secretsSentTo(port, node, [...names, "kubernetes-gateway://istio-system/shop"], shown)).toEqual([]);
    const claiming = { ...node, metadata: { ...node.metadata, NAMESPACE: "istio-system" } };
    expect(await outcome("delta", port, claiming, shown)).toMatchObject({ code: 7 });
  });

  test("are not sent over plaintext, even to this machine; CA certificates are", async () => {
    const { open, closed } = world();
    for (const { xdsPort } of [open, closed]) {
      expect(await secretsSentTo(xdsPort, gatewayNode, all)).toEqual(["kubernetes://shop-cacert"]);
    }
    using client = new DeltaClient(open.xdsPort, gatewayNode);
    client.subscribe(secretType, all);
    await client.next(secretType);
    expect(await secretsOf(open)).toEqual({
      "kubernetes://shop": "not-encrypted",
      "kubernetes://shop-cacert": "served",
      "kubernetes://bank/shop": "other-namespace",
      "kubernetes://unused": "not-used",
    });
  });
});
