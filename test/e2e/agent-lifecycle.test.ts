import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { ControlPlane } from "./support/agent/control-plane.ts";
import { Agent } from "./support/agent/agent.ts";
import { identitiesOfAuthority } from "./support/agent/identities.ts";
import { redirectByAgent } from "./support/agent/redirect.ts";
import { appYaml, strictYaml } from "./support/agent/shop-world.ts";
import { startSidecarPair, trustHost } from "./support/agent/sidecar-pair.ts";
import { Load } from "./support/envoy/fortio.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWithNetwork } from "./support/peers.ts";
import type { Pod } from "./support/pod/pod.ts";
import { openPodNetwork } from "./support/pod/pod-network.ts";
import { shared } from "./support/shared.ts";
import { objectYaml } from "./support/yaml.ts";

const describeAgents = await describeWithNetwork("envoy", "fortio", "iptables", "pilot-agent");

const target = { address: "10.96.0.10", port: 80, host: "app.shop.svc.cluster.local", path: "/" };
const machines = { address: "10.96.0.20", port: 80, host: "billing.shop.svc.cluster.local", protocol: "http" } as const;

/** Finds dead connections in two seconds, and removes the entries of machines a second later. */
const watchful = ["--keepalive-interval", "1s", "--keepalive-timeout", "1s", "--workload-grace", "1s"];
/** Ends every connection after three seconds. */
const hasty = ["--max-connection-age", "3s"];

/** Certificates live for minutes. Agents renew them every two seconds or so. */
const renewsOften = { SECRET_TTL: "120s", SECRET_GRACE_PERIOD_RATIO: "0.98", SECRET_GRACE_PERIOD_RATIO_JITTER: "0" };

describeAgents("agents under traffic", () => {
  const world = shared(async (stack) => {
    // Before the pods: they end with their server, which writes into the state of its authority.
    const identities = await identitiesOfAuthority(stack);
    const { pods } = stack.use(await openPodNetwork("istiod", "next", "client", "server", "vm"));
    const app = appYaml("app", target.address, pods.server.address);
    const mesh = stack.use(new MeshDir({ "app.yaml": app, "strict.yaml": strictYaml, "billing.yaml": billing }));
    const serve = (pod: Pod, flags: readonly string[]) =>
      new ControlPlane(pod, mesh.path, ...identities.flags, ...flags).start();
    const control = await serve(pods.istiod, watchful);
    const optionsOf = async (pod: Pod) => ({ ...(await identities.agentOf(pod, control)), env: renewsOften });
    const [agents, next] = await Promise.all([startSidecarPair(pods, optionsOf), serve(pods.next, hasty)]);
    await redirectByAgent(pods.vm);
    const vm = {
      agent: await Agent.start(pods.vm, { ...(await identities.agentOf(pods.vm, control)), ...machine }),
      application: await pods.vm.serve({ type: "http", name: "vm", port: 8080 }),
    };
    const answered = async () => "status" in (await pods.client.call({ ...target, protocol: "http" }));
    await eventually("an answer of the app", answered, { seconds: 10 });
    const launch = (command: string, args: readonly string[]) => pods.client.start(command, args);
    const load = stack.use(await Load.start({ ...target, qps: 50, launch }));
    return { pods, mesh, identities, control, next, agents, vm, load };
  });

  const isServed = async () => {
    const { pods } = world();
    return ((await pods.client.call(machines)) as { readonly status?: number }).status === 200;
  };
  const isWithoutEndpoint = async () => {
    const { pods } = world();
    return ((await pods.client.call(machines)) as { readonly body?: string }).body === "no healthy upstream";
  };
  /** The names of the entries that machines registered. */
  const entries = async () => {
    const all = await world().control.json<Record<string, readonly { kind: string; key: string }[]>>("/debug/configz");
    return Object.values(all).flatMap((each) =>
      each.flatMap(({ kind, key }) => (kind === "WorkloadEntry" ? [key] : [])),
    );
  };

  /** Moves the sidecars to the server that ends connections often. */
  const useNext = async () => {
    const { control, next, agents } = world();
    for (const { pod } of [agents.client, agents.server]) trustHost(pod, next.address);
    await control.kill("SIGTERM");
    const isMoved = async () => (await next.syncOf("client-0.shop")) && (await next.syncOf("server-0.shop"));
    await eventually("sidecars at the next server", isMoved, { seconds: 30 });
  };

  test("a machine in SotW gets traffic while its agent reports health", async () => {
    const { vm, pods, control } = world();
    await vm.agent.ready();
    await eventually("an answer of the machine", isServed, { seconds: 20 });
    expect(await control.syncOf("vm-0.shop")).toMatchObject({ mode: "sotw" });
    await vm.application.stop();
    await eventually("a machine without traffic", isWithoutEndpoint, { seconds: 20 });
    expect(await entries()).toHaveLength(1);
    await pods.vm.serve({ type: "http", name: "vm", port: 8080 });
    await eventually("an answer of the machine", isServed, { seconds: 20 });
  });

  test("a machine that vanishes without a word is found by pings, and returns", async () => {
    const { pods, control } = world();
    await run(pods.vm, "ip", "route", "add", "blackhole", pods.istiod.address);
    await eventually("no entry", async () => (await entries()).length === 0, { seconds: 20 });
    await eventually("a machine without traffic", isWithoutEndpoint, { seconds: 20 });
    expect(await control.syncOf("vm-0.shop")).toBe(undefined);
    await run(pods.vm, "ip", "route", "del", "blackhole", pods.istiod.address);
    await eventually("an answer of the machine", isServed, { seconds: 30 });
  });

  test("a machine that drains leaves, and its entry ends after the grace period", async () => {
    const { vm } = world();
    await eventually("an answer of the machine", isServed, { seconds: 20 });
    expect(await vm.agent.stop()).toBe(0);
    await eventually("no entry", async () => (await entries()).length === 0, { seconds: 20 });
    await eventually("a machine without traffic", isWithoutEndpoint, { seconds: 20 });
  });

  test("a connection of the maximum age is replaced, and every edit arrives", async () => {
    const { agents, mesh, pods } = world();
    await useNext();
    const before = agents.client.streams();
    const isReplaced = () => agents.client.streams() > before;
    for (let edit = 1; edit <= 400 && !isReplaced(); edit++) {
      mesh.write("edit.yaml", markYaml(`edit-${edit}`));
      const seen = async () => {
        const reply = await pods.client.call({ ...target, protocol: "http" });
        return "headers" in reply && reply.headers?.["x-edit"] === `edit-${edit}`;
      };
      await eventually(`edit ${edit}`, seen, { seconds: 20 });
    }
    expect(isReplaced()).toBe(true);
    expect(await agents.client.rejections()).toEqual([]);
  });

  test("an agent with an expired token is refused, and recovers with the next token", async () => {
    const { agents, identities, next } = world();
    await useNext();
    agents.server.replaceToken(await identities.token("server", -60));
    await agents.server.logged(/upstream terminated with unexpected error.*Unauthenticated/u);
    await agents.server.logged(/failed to sign.*Unauthenticated|Unauthenticated.*CSR/u);
    const [streams, issued] = [agents.server.streams(), agents.server.issued()];
    agents.server.replaceToken(await identities.token("server"));
    const recovered = () => agents.server.streams() > streams && agents.server.issued() > issued;
    await eventually("a new stream and a new certificate", recovered, { seconds: 30 });
    const states = ["CDS SYNCED", "EDS SYNCED", "LDS SYNCED", "RDS SYNCED"];
    await expect.poll(async () => (await next.syncOf("server-0.shop"))?.states).toEqual(states);
  });

  test("no request failed meanwhile, and no Envoy started again", async () => {
    const { load, agents } = world();
    const requests = await load.stop();
    expect(requests.filter(({ ok }) => !ok)).toEqual([]);
    expect(requests.length).toBeGreaterThan(100);
    for (const agent of [agents.client, agents.server]) {
      expect(agent.linesLike(/Envoy command:/u)).toHaveLength(1);
      expect(await agent.rejections()).toEqual([]);
    }
  });
});

/** An agent of a machine that registers itself. It ends as soon as it has no connections. */
const machine = {
  type: "sidecar",
  namespace: "shop",
  labels: { app: "billing" },
  mode: "sotw",
  env: {
    ISTIO_META_AUTO_REGISTER_GROUP: "billing",
    EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true",
    MINIMUM_DRAIN_DURATION: "1s",
  },
  proxyConfig: { readinessProbe: { httpGet: { port: 8080, path: "/" }, periodSeconds: 1 } },
} as const;

async function run(pod: Pod, command: string, ...args: readonly string[]): Promise<void> {
  expect(await pod.start(command, args).exited).toBe(0);
}

/** Lets every answer of the app have a mark. */
function markYaml(mark: string): string {
  return objectYaml("VirtualService", "app", {
    hosts: [target.host],
    http: [{ headers: { response: { set: { "x-edit": mark } } }, route: [{ destination: { host: target.host } }] }],
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
