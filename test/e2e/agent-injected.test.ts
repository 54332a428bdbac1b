import { expect, test } from "vitest";
import { injectedPod } from "../../src/testing/config/injection.ts";
import { ControlPlane } from "./support/agent/control-plane.ts";
import { identitiesOfAuthority } from "./support/agent/identities.ts";
import { type PlayedPod, playPod } from "./support/agent/play-pod.ts";
import { appYaml, strictYaml } from "./support/agent/shop-world.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { openPodNetwork } from "./support/pod/pod-network.ts";
import { shared } from "./support/shared.ts";

const describeAgents = await describeWithNetwork("envoy", "iptables", "pilot-agent");
const address = "10.96.0.10";

describeAgents("an injected pod that is played with Istio's binaries", () => {
  const world = shared(async (stack) => {
    const { pods } = stack.use(await openPodNetwork("istiod", "client", "server"));
    const app = appYaml("app", address, pods.server.address);
    const mesh = stack.use(new MeshDir({ "app.yaml": app, "strict.yaml": strictYaml }));
    const identities = await identitiesOfAuthority(stack);
    const control = await new ControlPlane(pods.istiod, mesh.path, ...identities.flags).start();
    const play = async (name: "client" | "server") => {
      const { token = "", controlPlaneRoot = "" } = await identities.agentOf(pods[name], control);
      const manifest = injectedPod(podYaml(name)) as unknown as PlayedPod;
      const configMaps = { "istio-ca-root-cert": { "root-cert.pem": controlPlaneRoot } };
      const proxy = await playPod(pods[name], manifest, { token, configMaps });
      return { proxy, manifest, pod: pods[name] };
    };
    const [client, server] = await Promise.all([play("client"), play("server")]);
    await pods.server.serve({ type: "http", name: "app", port: 8080 });
    for (const { pod, manifest, proxy } of [client, server]) {
      const { path, port } = probeOf(manifest, "istio-proxy");
      const ready = () => pod.page(port, path).then(() => true);
      await eventually("a ready proxy", ready, { seconds: 30 }).catch((cause: unknown) => {
        throw new Error(proxy.log(), { cause });
      });
    }
    return { control, outside: pods.istiod, client, server };
  });

  test("gets traffic over mTLS only", async () => {
    const { client, server, outside } = world();
    const dial = { protocol: "http", host: "app.shop.svc.cluster.local" } as const;
    const reply = await client.pod.call({ ...dial, address, port: 80 });
    expect(reply).toMatchObject({ status: 200, headers: { "x-echo": "app" } });
    expect("body" in reply && reply.body).toContain("URI=spiffe://cluster.local/ns/shop/sa/client");
    const plain = await outside.call({ ...dial, address: server.pod.address, port: 8080 });
    expect(plain).toEqual({ failed: expect.stringMatching(/hang up|ECONNRESET/u) });
  });

  test("answers the probes of its application, as Kubernetes asks", async () => {
    const { server, outside } = world();
    const { path, port } = probeOf(server.manifest, "app");
    const dial = { address: server.pod.address, protocol: "http", host: "kubelet" } as const;
    expect(await outside.call({ ...dial, port, path })).toMatchObject({ status: 200 });
    expect(await outside.call({ ...dial, port, path: "/app-health/other/readyz" })).toMatchObject({ status: 400 });
  });

  test("is synced", async () => {
    const states = ["CDS SYNCED", "EDS SYNCED", "LDS SYNCED", "RDS SYNCED"];
    await expect.poll(() => world().control.syncOf("server.shop")).toEqual({ mode: "delta", states });
  });
});

function probeOf({ spec }: PlayedPod, container: string) {
  const probe = spec.containers.find(({ name }) => name === container)?.readinessProbe?.httpGet;
  if (probe === undefined) throw new Error(`the container ${container} has no probe`);
  return probe;
}

function podYaml(name: string): string {
  return `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}
spec:
  serviceAccountName: ${name}
  containers:
  - name: app
    image: app
    ports: [{containerPort: 8080}]
    readinessProbe: {httpGet: {path: /ready, port: 8080}}
`;
}
