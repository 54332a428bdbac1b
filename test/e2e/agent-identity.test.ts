import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { identitiesOfAuthority } from "./support/agent/identities.ts";
import { redirectByAgent } from "./support/agent/redirect.ts";
import { hostOf, openShopWorld, serviceAddress } from "./support/agent/shop-world.ts";
import { freePort } from "./support/free-port.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWithNetwork } from "./support/peers.ts";
import type { Pod } from "./support/pod/pod.ts";
import { shared } from "./support/shared.ts";
import { TestAuthority } from "./support/tls/certificates.ts";
import { pullSecret, tlsSecret } from "./support/tls/secret-yaml.ts";
import { headerModule } from "./support/wasm/wasm-module.ts";
import { objectYaml } from "./support/yaml.ts";

const describeAgents = await describeWithNetwork("envoy", "iptables", "pilot-agent");

describeAgents("Istio's agent with tokens", () => {
  const world = shared(async (stack) => {
    const authority = stack.use(await TestAuthority.create());
    const stranger = await stack.use(await TestAuthority.create()).issue("shop", "stranger");
    const settings = stack.use(new MeshDir({ "mesh.yaml": "{}" }));
    const { flags, agentOf } = await identitiesOfAuthority(stack);
    const mesh = ["--mesh", join(settings.path, "mesh.yaml")];
    const shops = await openShopWorld(stack, { flags: [...flags, ...mesh], agentOf }, "vm");
    return { ...shops, authority, stranger, settings };
  });

  describe.each(["delta", "sotw"] as const)("in %s", (mode) => {
    const shop = () => world().shops[mode];

    test("a sidecar calls another over mTLS, and both identities arrive", async () => {
      const dial = { address: serviceAddress[mode], port: 80, protocol: "http", host: hostOf(mode) } as const;
      const reply = await shop().client.pod.call(dial);
      expect(reply).toMatchObject({ status: 200, headers: { "x-echo": `server-${mode}` } });
      const { headers } = JSON.parse("body" in reply ? reply.body : "") as { headers: Record<string, string> };
      const name = (account: string) => `spiffe://cluster.local/ns/shop/sa/${account}-${mode}`;
      expect(headers["x-forwarded-client-cert"]).toContain(`By=${name("server")};`);
      expect(headers["x-forwarded-client-cert"]).toContain(`URI=${name("client")}`);
    });

    test("a gateway gets the certificate of a Secret, and a changed one", async () => {
      const { mesh, outside, authority } = world();
      const dial = {
        address: shop().gateway.pod.address,
        port: 8443,
        protocol: "https",
        host: "shop.example",
      } as const;
      const shows = async (name: string) => {
        const names = [{ type: "dns", value: "shop.example" }] as const;
        mesh.write(`secret-${mode}.yaml`, tlsSecret(`cert-${mode}`, await authority.issueNames(name, names), "shop"));
        const reply = async () => {
          const { headers } = (await outside.call(dial)) as { headers?: Record<string, string> };
          return headers?.["x-certificate"] === name && headers["x-echo"] === `server-${mode}`;
        };
        await eventually(`the certificate ${name}`, reply, { seconds: 20 });
      };
      mesh.write(`gateway-${mode}.yaml`, httpsGateway(mode));
      await shows(`first-${mode}`);
      await shows(`second-${mode}`);
      expect(await shop().gateway.agent.rejections()).toEqual([]);
    });

    test("the agent gets the roots of another mesh over PCDS, and its Envoy accepts clients of that mesh", async () => {
      const { settings, outside, authority, stranger, control } = world();
      const uri = "spiffe://other.example/ns/shop/sa/client";
      const client = await authority.issueNames(`other-${mode}`, [{ type: "url", value: uri }]);
      const { address } = shop().server.pod;
      const dial = { address, port: 8080, protocol: "https", host: hostOf(mode), alpn: "istio", client } as const;
      const isAccepted = async () => "status" in (await outside.call(dial));
      const accepts = async (wanted: boolean) =>
        await eventually(`accepted: ${wanted}`, async () => (await isAccepted()) === wanted, { seconds: 20 });
      // The trust domain stays, so that only the roots decide.
      const trust = (root: string) => settings.write("mesh.yaml", otherMesh[mode](readFileSync(root, "utf8")));
      trust(stranger.rootCertificates);
      const roots = async () => await shop().server.agent.roots();
      const strange = readFileSync(stranger.rootCertificates, "utf8").trim();
      await eventually("the strange root", async () => (await roots()).includes(strange), { seconds: 20 });
      await accepts(false);
      trust(client.rootCertificates);
      await accepts(true);
      trust(stranger.rootCertificates);
      await accepts(false);
      const sync = await control.syncOf(`server-${mode}-0.shop`);
      expect(sync?.states).toContain("PCDS SYNCED");
      expect(await shop().server.agent.rejections()).toEqual([]);
    });

    test("the agent fetches a module from a registry with the pull secret, as soon as the Secret exists", async () => {
      const { control, mesh, outside } = world();
      const dial = { address: serviceAddress[mode], port: 80, protocol: "http", host: hostOf(mode) } as const;
      const reply = async () => (await shop().client.pod.call(dial)) as { status?: number; body?: string };
      const registry = await startRegistry(outside, headerModule("x-wasm", mode), `robot:${password}`);
      mesh.write(`wasm-${mode}.yaml`, wasmYaml(mode, registry.image));
      await eventually("traffic without the module is refused", async () => (await reply()).status === 403, patience);
      expect(await control.page("/debug/conflicts")).toContain(`there is no Secret shop/pull-${mode} of type`);
      expect(registry.requests()).toEqual([]);
      mesh.write(`pull-${mode}.yaml`, pullSecret(`pull-${mode}`, { [registry.host]: `robot:${password}` }));
      const header = async () => (await reply()).body?.includes(`"x-wasm":"${mode}"`);
      await eventually("the header of the module", header, patience);
      expect(registry.requests().filter((line) => line.startsWith("200 ") && line.includes("/blobs/"))).not.toEqual([]);
      const shown = await control.page(`/debug/config_dump?proxyID=server-${mode}-0.shop`);
      expect([shown, await shop().server.agent.admin("/config_dump")].filter(leaks)).toEqual([]);
    });
  });

  test("a machine registers itself, and gets traffic while its agent reports health", async () => {
    const { mesh, startAgent, pod, shops } = world();
    mesh.write("billing.yaml", billing);
    const vm = pod("vm");
    const probe = { httpGet: { port: 8080, path: "/" }, periodSeconds: 1 };
    await redirectByAgent(vm);
    const agent = await startAgent(vm, {
      type: "sidecar",
      labels: { app: "billing" },
      env: { ISTIO_META_AUTO_REGISTER_GROUP: "billing" },
      proxyConfig: { readinessProbe: probe },
    });
    const dial = { address: "10.96.0.20", port: 80, protocol: "http", host: "billing.shop.svc.cluster.local" } as const;
    const answer = async () => await shops.delta.client.pod.call(dial);
    await agent.ready();
    expect(await answer()).toMatchObject({ status: 503, body: "no healthy upstream" });
    const application = await vm.serve({ type: "http", name: "billing", port: 8080 });
    const answered = async () => ((await answer()) as { readonly status?: number }).status === 200;
    await eventually("an answer of the machine", answered, { seconds: 20 });
    await application.stop();
    const removed = async () => ((await answer()) as { readonly body?: string }).body === "no healthy upstream";
    await eventually("a machine without traffic", removed, { seconds: 20 });
  });
});

/** A MeshConfig that trusts another mesh: a trust domain with roots of its own, or an alias of ours. */
const otherMesh = {
  delta: (pem: string) => JSON.stringify({ caCertificates: [{ pem, trustDomains: ["other.example"] }] }),
  sotw: (pem: string) => JSON.stringify({ caCertificates: [{ pem }], trustDomainAliases: ["other.example"] }),
} as const;

const patience = { seconds: 20 };
const password = "swordfish-but-longer";

/** Also in base64, as `robot:swordfish…` and as the whole JSON. */
function leaks(text: string): boolean {
  const encoded = [0, 1, 2].map((skip) => Buffer.from(password.slice(skip, skip + 12)).toString("base64"));
  return [password, ...encoded].some((needle) => text.includes(needle));
}

/** A registry in a pod, with one image. Requests without the login are refused. */
async function startRegistry(pod: Pod, module: Uint8Array, login: string) {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-registry-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "module.wasm");
  writeFileSync(file, module);
  const port = await freePort();
  const script = join(import.meta.dirname, "support/pod/image-registry-process.ts");
  const child = pod.start(process.execPath, [script, String(port), login, file]);
  onTestFinished(() => child.stop());
  await child.line(/^ready$/u, { seconds: 30 });
  const host = `${pod.address}:${port}`;
  return { host, image: `oci://${host}/modules/header:v1`, requests: () => child.linesLike(/ \/v2\//u) };
}

function wasmYaml(mode: string, url: string): string {
  const selector = { matchLabels: { app: `server-${mode}` } };
  const yaml = objectYaml("WasmPlugin", `header-${mode}`, { selector, url, imagePullSecret: `pull-${mode}` });
  return yaml.replace("networking.istio.io/v1", "extensions.istio.io/v1alpha1");
}

function httpsGateway(mode: string): string {
  return objectYaml("Gateway", `gateway-${mode}`, {
    selector: { app: `gateway-${mode}` },
    servers: [
      {
        port: { number: 8443, name: "https", protocol: "HTTPS" },
        hosts: ["*"],
        tls: { mode: "SIMPLE", credentialName: `cert-${mode}` },
      },
    ],
  });
}

const billing = `
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: {name: billing, namespace: shop}
spec:
  metadata: {labels: {app: billing}}
  template: {serviceAccount: vm, ports: {http: 8080}}
  probe: {httpGet: {port: 8080}, periodSeconds: 1}
---
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: billing, namespace: shop}
spec:
  hosts: [billing.shop.svc.cluster.local]
  addresses: [10.96.0.20]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP, targetPort: 8080}]
  workloadSelector: {labels: {app: billing}}
`;
