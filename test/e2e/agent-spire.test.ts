import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { Agent } from "./support/agent/agent.ts";
import { redirectByAgent } from "./support/agent/redirect.ts";
import { appYaml } from "./support/agent/shop-world.ts";
import { controlPlaneHost, trustHost } from "./support/agent/sidecar-pair.ts";
import { runInPod, startSpireAgent } from "./support/agent/spire-node.ts";
import { root } from "./support/checkout.ts";
import { stepsUnder } from "./support/documents/recipe.ts";
import { RecipeRunner } from "./support/documents/recipe-runner.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { openPodNetwork } from "./support/pod/pod-network.ts";
import type { Pod } from "./support/pod/pod.ts";
import { shared } from "./support/shared.ts";
import { TestAuthority } from "./support/tls/certificates.ts";

const describeSpire = await describeWithNetwork("envoy", "iptables", "pilot-agent", "spire");
const text = readFileSync(join(root, "docs/recipes/use-spire.md"), "utf8");
const patience = { seconds: 20 };
const app = { address: "10.96.0.10", port: 80, protocol: "http", host: "app.shop.svc.cluster.local" } as const;

function steps(...headings: readonly string[]) {
  return headings.flatMap((heading) => stepsUnder(text, heading));
}

describeSpire("a mesh with identities from SPIRE", () => {
  const world = shared(async (stack) => {
    const { pods } = stack.use(await openPodNetwork("istiod", "client", "server", "outside"));
    const spire = await peerPath("spire");
    const commands = { "spire-server": join(spire, "spire-server") };
    const control = stack.use(new RecipeRunner(commands, { shell: pods.istiod.inside("bash") }));
    await control.follow(steps("The SPIRE server", "Identities"));
    const nodes = [pods.client, pods.server].map(async (pod) => {
      stack.use(await startSpireAgent(pod, control.folder, steps("On each node")));
      await eventually("an identity", async () => (await runInPod(pod, steps("In each pod"))) ?? true, patience);
      trustHost(pod, pods.istiod.address);
      await redirectByAgent(pod);
    });
    await Promise.all([...nodes, pods.server.serve({ type: "http", name: "app", port: 8080 })]);

    // The server trusts another authority at first, so that it must read the bundle of SPIRE while it runs.
    const write = (path: string, content: string) => writeFileSync(join(control.folder, path), content);
    const bundle = readFileSync(join(control.folder, "bundle.pem"), "utf8");
    using stranger = await TestAuthority.create();
    write("bundle.pem", readFileSync((await stranger.issue("shop", "nobody")).rootCertificates, "utf8"));
    await control.follow(steps("The control plane"));
    write("mesh/app.yaml", appYaml("app", app.address, pods.server.address));
    const agents = await Promise.all([pods.client, pods.server].map(startAgent));
    const refusals = await Promise.all(agents.map((agent) => agent.logged(/upstream terminated.*Unauthenticated/u)));
    write("bundle.pem", bundle);
    await Promise.all(agents.map((agent) => agent.ready()));
    return { pods, control, agents, refusals, write };
  });

  test("Istio's agents use the socket of SPIRE, and ask no certificate authority", async () => {
    for (const agent of world().agents) {
      await agent.logged("Existing workload SDS socket found");
      expect(agent.issued()).toBe(0);
      expect(await agent.rejections()).toEqual([]);
    }
  });

  test("a sidecar calls another over mTLS, and both names of SPIRE arrive", async () => {
    const { pods } = world();
    const reply = await pods.client.call(app);
    expect(reply).toMatchObject({ status: 200, headers: { "x-echo": "app" } });
    const names = ["By", "URI"].map((part, index) => `${part}=spiffe://mesh.example/ns/shop/sa/${accounts[index]}`);
    for (const name of names) expect("body" in reply && reply.body).toContain(name);
  });

  test("a caller without a certificate is refused", async () => {
    const { pods } = world();
    const reply = await pods.outside.call({ ...app, address: pods.server.address, port: 8080 });
    expect(reply).toHaveProperty("failed");
  });

  test("an AuthorizationPolicy decides by the names of SPIRE", async () => {
    const { pods, control, write } = world();
    const policies = readFileSync(join(control.folder, "mesh/shop.yaml"), "utf8");
    const status = async () => ((await pods.client.call(app)) as { readonly status?: number }).status;
    expect(await status()).toBe(200);
    write("mesh/shop.yaml", policies.replace("mesh.example/ns/shop/sa/client", "other.example/ns/shop/sa/client"));
    await eventually("a refusal", async () => (await status()) === 403, patience);
    write("mesh/shop.yaml", policies);
    await eventually("an answer", async () => (await status()) === 200, patience);
  });

  test("the control plane admits certificates of SPIRE once their bundle is in the file, and shows the proxies", async () => {
    const { control, refusals } = world();
    const refusal = expect.stringContaining("Unauthenticated desc = show a valid client certificate");
    expect(refusals).toEqual([refusal, refusal]);
    await control.follow(steps("See it"));
  });
});

const accounts = ["server", "client"] as const;

/** An unmodified agent without a token and without an authority. */
async function startAgent(pod: Pod): Promise<Agent> {
  return await Agent.start(pod, {
    type: "sidecar",
    namespace: "shop",
    labels: { app: pod.name, "security.istio.io/tlsMode": "istio" },
    discoveryAddress: `${controlPlaneHost}:15012`,
    env: { PROV_CERT: "/etc/istio/proxy/xds", TRUST_DOMAIN: "mesh.example" },
  });
}
