import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { identitiesInFiles } from "./support/agent/identities.ts";
import { hostOf, openShopWorld, serviceAddress, type ShopWorld } from "./support/agent/shop-world.ts";
import { freePort } from "./support/free-port.ts";
import { nodeMetadata } from "../reference/node-metadata.ts";
import { describeWithNetwork } from "./support/peers.ts";
import type { Pod } from "./support/pod/pod.ts";
import { shared } from "./support/shared.ts";
import { headerModule } from "./support/wasm/wasm-module.ts";
import { objectYaml } from "./support/yaml.ts";

const describeAgents = await describeWithNetwork("envoy", "iptables", "istioctl", "pilot-agent");

/** An address that istio-iptables takes for the pod's DNS server. */
const dnsServer = { address: "10.79.0.1", port: 53, protocol: "dns" } as const;

/** The types that agents ask for beside the four of Envoy. */
const moreTypes = { gateway: ["PCDS"], client: ["NDS", "PCDS"], server: ["ECDS", "NDS", "PCDS"] } as const;

describeAgents("Istio's agent with certificates in files", () => {
  const world = shared(async (stack) => {
    const shops = await openShopWorld(stack, await identitiesInFiles(stack), "quiet");
    return { ...shops, quiet: await startQuiet(shops) };
  });

  describe.each(["delta", "sotw"] as const)("in %s", (mode) => {
    const shop = () => world().shops[mode];
    const toService = { address: serviceAddress[mode], port: 80, protocol: "http", host: hostOf(mode) } as const;

    const resolve = (host: string, family: 4 | 6 = 4) => shop().client.pod.call({ ...dnsServer, host, family });

    test("a sidecar calls another over mTLS, and both identities arrive", async () => {
      const reply = await shop().client.pod.call(toService);
      expect(reply).toMatchObject({ status: 200, headers: { "x-echo": `server-${mode}` } });
      const { headers } = JSON.parse("body" in reply ? reply.body : "") as { headers: Record<string, string> };
      const name = (account: string) => `spiffe://cluster.local/ns/shop/sa/${account}-${mode}`;
      expect(headers["x-forwarded-client-cert"]).toContain(`By=${name("server")};`);
      expect(headers["x-forwarded-client-cert"]).toContain(`URI=${name("client")}`);
    });

    test("a sidecar refuses plain text", async () => {
      const { address } = shop().server.pod;
      const reply = await world().outside.call({ ...toService, address, port: 8080 });
      expect(reply).toEqual({ failed: expect.stringMatching(/hang up|ECONNRESET/u) });
    });

    test("a gateway reaches the service over mTLS", async () => {
      const { address } = shop().gateway.pod;
      const reply = await world().outside.call({ ...toService, address, port: 8080 });
      expect(reply).toMatchObject({ status: 200, headers: { "x-echo": `server-${mode}` } });
    });

    test("the DNS proxy of the agent resolves names from our table, and learns new ones", async () => {
      expect(await resolve(hostOf(mode))).toEqual({ body: serviceAddress[mode] });
      world().mesh.write(`${mode}-late.yaml`, namedYaml(`late-${mode}`));
      const late = async () => ((await resolve(`late-${mode}.example.com`)) as { body?: string }).body;
      await eventually("the new name", async () => (await late()) === "10.96.0.99", { seconds: 10 });
    });

    test("the DNS proxy of the agent knows IPv6 addresses and wildcards, and forwards other names", async () => {
      world().mesh.write("names.yaml", namesYaml);
      const wild = async () => ((await resolve("any.wild.example.com")) as { body?: string }).body === "10.96.0.98";
      await eventually("the wildcard", wild, { seconds: 20 });
      expect(await resolve("both.example.com")).toEqual({ body: "10.96.0.97" });
      expect(await resolve("both.example.com", 6)).toEqual({ body: "fd00::97" });
      expect(await resolve("wild.example.com")).toEqual({ body: world().upstreamAddress });
      expect(await resolve("elsewhere.example.org")).toEqual({ body: world().upstreamAddress });
      // A known name without addresses of this family is not forwarded.
      expect(await resolve("any.wild.example.com", 6)).toEqual({ failed: expect.stringContaining("ENODATA") });
    });

    test("two names without addresses share a TCP port: the agent resolves each to its own allocated address", async () => {
      const { outside, mesh } = world();
      const names = ["first", "second"].map((name) => `${name}-${mode}`);
      const servers = await Promise.all(
        names.map(async (name) => {
          const port = await freePort();
          return { child: await outside.serve({ type: "http", name, port }), name, port };
        }),
      );
      onTestFinished(async () => void (await Promise.all(servers.map(({ child }) => child.stop()))));
      mesh.write(
        `${mode}-unaddressed.yaml`,
        servers.map(({ name, port }) => unaddressedYaml(name, outside.address, port)).join("---\n"),
      );
      for (const name of names) {
        const host = `${name}.example.com`;
        const address = await eventually(
          "an allocated address",
          async () => /^240\.240\.\d+\.\d+$/u.exec(((await resolve(host)) as { body?: string }).body ?? "")?.[0],
          { seconds: 20 },
        );
        const call = { address, port: 9000, protocol: "http", host } as const;
        const reached = async () => (await shop().client.pod.call(call)) as { readonly headers?: object };
        await expect.poll(reached, { timeout: 20_000 }).toMatchObject({ headers: { "x-echo": name } });
      }
    });

    test("the agent fetches the module of a WasmPlugin, and its Envoy runs it", async () => {
      const module = await serveModule(world().outside, headerModule("x-wasm", mode));
      world().mesh.write(`${mode}-wasm.yaml`, wasmYaml(mode, module));
      const seen = async () => {
        const reply = await shop().client.pod.call(toService);
        return "body" in reply && reply.body.includes(`"x-wasm":"${mode}"`);
      };
      await eventually("the header of the module", seen, { seconds: 20 });
      const state = async () => (await world().control.syncOf(`server-${mode}-0.shop`))?.states;
      await expect.poll(state).toContain("ECDS SYNCED");
    });

    test.each(["gateway", "client", "server"] as const)(
      "all types of the %s are synced, none is rejected",
      async (role) => {
        const types = ["CDS", "EDS", "LDS", "RDS", ...moreTypes[role]].toSorted();
        const states = types.map((type) => `${type} SYNCED`);
        const sync = () => world().control.syncOf(`${role}-${mode}-0.shop`);
        await expect.poll(sync).toEqual({ mode, states });
        expect(await shop()[role].agent.rejections()).toEqual([]);
      },
    );
  });

  test("the pings of an agent are answered and never punished", async () => {
    const { frames } = world().quiet;
    await eventually("a ping", () => frames.linesLike(/^client PING$/u).length > 0, { seconds: 30 });
    const answered = () => frames.linesLike(/^server PING ACK$/u).length === frames.linesLike(/^client PING$/u).length;
    await eventually("answers to all pings", answered, { seconds: 10 });
    expect(frames.linesLike(/GOAWAY/u)).toEqual([]);
  });

  test("traffic flows while the control plane is killed and starts again, and agents take up new configuration", async () => {
    const { control, mesh, shops } = world();
    const calls = (["delta", "sotw"] as const).map((mode) => {
      const dial = { address: serviceAddress[mode], port: 80, protocol: "http", host: hostOf(mode) } as const;
      return { pod: shops[mode].client.pod, dial };
    });
    const failures = async () => {
      const replies = [];
      for (let i = 0; i < 20; i++) for (const { pod, dial } of calls) replies.push(await pod.call(dial));
      return replies.filter((reply) => !("status" in reply && reply.status === 200));
    };
    const before = await failures();
    await control.kill("SIGKILL");
    const restarted = control.start();
    const during = await failures();
    await restarted;
    mesh.write("again.yaml", namedYaml("again"));
    for (const { pod } of calls) {
      const answer = async () =>
        ((await pod.call({ ...dnsServer, host: "again.example.com" })) as { body?: string }).body;
      await eventually("the new name", async () => (await answer()) === "10.96.0.99", { seconds: 20 });
    }
    const after = await failures();
    expect({ before, during, after }).toEqual({ before: [], during: [], after: [] });
  });

  test("the agent's own pages and commands answer", async () => {
    const { agent, pod } = world().shops.delta.client;
    expect(await agent.status("/debug/ndsz")).toContain(hostOf("delta"));
    expect(await agent.status("/healthz/ready")).toBe("");
    const merged = await world().shops.delta.server.agent.status("/stats/prometheus");
    for (const metric of ["istio_agent_xds_proxy_responses", "envoy_server_live", "app_requests_total 7"]) {
      expect(merged).toContain(metric);
    }
    const command = ["/usr/local/bin/pilot-agent", "request", "GET", "server_info"];
    const request = await pod.startContained(command, { user: 1337, env: {} });
    expect(await request.exited).toBe(0);
    expect(request.log()).toContain('"state": "LIVE"');
  });

  test.each(["gateway", "client"] as const)(
    "our table of node metadata has every key of the %s's agent",
    async (role) => {
      const { agent, pod } = world().shops.delta[role];
      const metadata = await agent.nodeMetadata();
      expect(metadata).toMatchObject({ LABELS: { app: pod.name }, NAMESPACE: "shop", INSTANCE_IPS: pod.address });
      // The agent also sends each label as a key.
      const keys = Object.keys(metadata).filter((key) => key !== "app");
      expect(keys.filter((key) => !(key in nodeMetadata))).toEqual([]);
    },
  );

  test("istioctl shows the agents, their versions and types, and the names of one", async () => {
    const istiod = world().pod("istiod");
    const status = await istioctl(istiod, "proxy-status");
    for (const mode of ["delta", "sotw"] as const) {
      const { ISTIO_VERSION: version } = await world().shops[mode].client.agent.nodeMetadata();
      const row = status.split("\n").find((line) => line.startsWith(`client-${mode}-0.shop `)) ?? "";
      const [, cluster, , shown, count, types = ""] = row.split(/\s+/u);
      expect([cluster, shown, count]).toEqual(["Kubernetes", version, "6"]);
      for (const type of ["CDS", "EDS", "LDS", "RDS", "NDS", "PCDS"]) expect(types).toContain(type);
      expect(await istioctl(istiod, "x", "internal-debug", `ndsz?proxyID=client-${mode}-0.shop`)).toContain(
        hostOf(mode),
      );
    }
  });

  test("an agent leaves at once after /quitquitquit", async () => {
    const { quiet, control } = world();
    const sync = () => control.syncOf("quiet-0.quiet");
    await eventually("a connected agent", sync, { seconds: 20 });
    await quiet.agent.quit();
    await expect.poll(sync).toBe(undefined);
  });
});

/** An agent that gets no pushes, so that it pings. Its connection goes through a relay that names the frames. */
async function startQuiet({ control, outside, startAgent, pod, mesh }: ShopWorld) {
  const script = fileURLToPath(new URL("support/agent/frames.ts", import.meta.url));
  const frames = outside.start(process.execPath, [script, "15010", control.plaintextAddress]);
  await frames.line(/^ready$/u, { seconds: 30 });
  mesh.write("quiet.yaml", objectYaml("Sidecar", "default", { egress: [{ hosts: ["./*"] }] }, "quiet"));
  const agent = await startAgent(pod("quiet"), {
    type: "sidecar",
    namespace: "quiet",
    discoveryAddress: `${outside.address}:15010`,
    // The shortest interval that gRPC allows.
    env: { GRPC_KEEPALIVE_INTERVAL: "10s" },
  });
  return { frames, agent };
}

/** The output of a command beside the control plane, which asks it over xDS. */
async function istioctl(istiod: Pod, ...args: readonly string[]): Promise<string> {
  const direct = ["--revision", "default", "--xds-address", "127.0.0.1:15010", "--plaintext"];
  const env = { ...process.env, KUBECONFIG: "/dev/null" };
  const child = istiod.start(await peerPath("istioctl"), [...args, ...direct], { env });
  const code = await child.exited;
  if (code !== 0) throw new Error(`istioctl ended with ${code}:\n${child.log()}`);
  return child.log();
}

/** Serves a module from a pod, and returns its URL. */
async function serveModule(pod: Pod, bytes: Uint8Array): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-modules-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "module.wasm"), bytes);
  const port = await freePort();
  const server = pod.start("python3", ["-m", "http.server", String(port), "--directory", folder]);
  onTestFinished(() => server.stop());
  const path = "/module.wasm";
  await eventually("a server of modules", () => pod.page(port, path), { seconds: 10 });
  return `http://${pod.address}:${port}${path}`;
}

function wasmYaml(mode: string, url: string): string {
  const selector = { matchLabels: { app: `server-${mode}` } };
  const yaml = objectYaml("WasmPlugin", `header-${mode}`, { selector, url });
  return yaml.replace("networking.istio.io/v1", "extensions.istio.io/v1alpha1");
}

const namesYaml = [
  externalYaml("both", ["both.example.com"], ["10.96.0.97", "fd00::97"]),
  externalYaml("wild", ["*.wild.example.com"], ["10.96.0.98"]),
].join("---\n");

/** A service outside of the mesh, `NAME.example.com` at an address that no other service has. */
function namedYaml(name: string): string {
  return externalYaml(name, [`${name}.example.com`], ["10.96.0.99"]);
}

/** A TCP service without an address, at port 9000 of `NAME.example.com`. */
function unaddressedYaml(name: string, address: string, port: number): string {
  return objectYaml("ServiceEntry", name, {
    hosts: [`${name}.example.com`],
    ports: [{ number: 9000, name: "tcp", protocol: "TCP" }],
    resolution: "STATIC",
    endpoints: [{ address, ports: { tcp: port } }],
  });
}

function externalYaml(name: string, hosts: readonly string[], addresses: readonly string[]): string {
  return objectYaml("ServiceEntry", name, {
    hosts,
    addresses,
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints: [{ address: "10.79.0.9" }],
  });
}
