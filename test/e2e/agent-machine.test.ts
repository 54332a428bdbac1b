import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { peerPath } from "../../scripts/peer.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { istiodObjects } from "./support/agent/istiod-objects.ts";
import { openKubeShop, tokenOf } from "./support/agent/kube-shop.ts";
import { copyToMachine, runOnMachine, startMachine } from "./support/agent/machine.ts";
import { startSidecarPair } from "./support/agent/sidecar-pair.ts";
import { root } from "./support/checkout.ts";
import { stepsUnder } from "./support/documents/recipe.ts";
import { RecipeRunner } from "./support/documents/recipe-runner.ts";
import { Kube } from "./support/kube/kube.ts";
import { apply } from "./support/kube/kube-bookinfo.ts";
import { openDefinition } from "./support/kube/kube-objects.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { forwardToMachine } from "./support/pod/forward.ts";
import { openPodNetwork } from "./support/pod/pod-network.ts";
import { shared } from "./support/shared.ts";

const describeAgent = await describeWithNetwork("envoy", "iptables", "istioctl", "kube", "pilot-agent");
const text = readFileSync(join(root, "docs/recipes/vm-workloads.md"), "utf8");

/** A group with all that a group can have. */
const rich = {
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadGroup",
  metadata: {
    name: "rich",
    namespace: "shop",
    annotations: { "proxy.istio.io/config": "{concurrency: 3, proxyMetadata: {A: group, B: group}}" },
  },
  spec: {
    metadata: {
      labels: { "app.kubernetes.io/name": "store", tier: "front" },
      annotations: { "proxy.istio.io/config": '{statusPort: 15099, proxyMetadata: {B: inner, NOTE: "it\'s $HOME"}}' },
    },
    template: { serviceAccount: "vm", network: "far", ports: { http: 8080 }, labels: { tier: "back", version: "v3" } },
    probe: { periodSeconds: 5, httpGet: { path: "/ready", port: 8080, httpHeaders: [{ name: "a", value: "b" }] } },
  },
};

/** The same of another revision, with more settings. */
const revisioned = [
  [
    "istio-canary",
    {
      mesh: "trustDomain: td.example\ndefaultConfig: {meshId: m1, drainDuration: 10s, proxyMetadata: {A: mesh, C: mesh}}",
    },
  ],
  ["istio-sidecar-injector-canary", { values: '{"global": {"multiCluster": {"clusterName": "west"}}}' }],
] as const;
const eastWest = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "istio-eastwestgateway", namespace: "istio-system" },
  spec: { externalIPs: ["192.0.2.7"], ports: [{ port: 15_012 }] },
};

const rows = [
  {
    ours: "vm --autoregister --ingress-ip 10.79.0.2",
    theirs: "--name vm --autoregister --ingressIP 10.79.0.2 --clusterID Kubernetes",
  },
  { ours: "vm --capture-dns off --cluster-id c1", theirs: "--name vm --capture-dns=false --clusterID c1" },
  { ours: "rich --revision canary --token-duration 2h", theirs: "--name rich --revision canary --tokenDuration 7200" },
  { ours: "rich --internal-ip 10.0.0.9 --cluster-id c1", theirs: "--name rich --internalIP 10.0.0.9 --clusterID c1" },
  { ours: "rich --external-ip 1.2.3.4 --cluster-id c1", theirs: "--name rich --externalIP 1.2.3.4 --clusterID c1" },
];

describeAgent("a VM outside of Kubernetes", () => {
  const world = shared(async (stack) => {
    const { pods } = stack.use(await openPodNetwork("istiod", "client", "server", "vm"));
    const kube = stack.use(await Kube.start());
    await openKubeShop(kube, pods.client, pods.server);
    const plurals = {
      WorkloadGroup: "workloadgroups",
      WorkloadEntry: "workloadentries",
      ServiceEntry: "serviceentries",
    };
    await kube.define(Object.entries(plurals).map(([kind, plural]) => openDefinition({ kind, plural })));
    const configMaps = revisioned.map(([name, data]) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "istio-system" },
      data,
    }));
    const inIstio = istiodObjects.filter(({ kind }) => kind === "ConfigMap");
    await apply(kube, [...inIstio, ...configMaps, eastWest, rich]);
    stack.use(await forwardToMachine(pods.istiod, kube.port));
    const kubectl = join(await peerPath("kube"), "kubectl");
    const kubeconfig = kube.kubeconfig("admin");
    const runner = stack.use(
      new RecipeRunner({ kubectl }, { shell: pods.istiod.inside("bash"), env: { KUBECONFIG: kubeconfig } }),
    );
    await runner.follow(stepsUnder(text, "The control plane"));
    return { pods, kube, kubeconfig, runner, folder: join(runner.folder, "vm-files") };
  });

  test("joins the mesh with the written files, registers itself, and serves under STRICT mutual TLS", async () => {
    const { pods, kube, runner, folder } = world();
    copyToMachine(pods.vm, folder);
    for (const step of stepsUnder(text, "The machine")) {
      if (step.type === "run") await runOnMachine(pods.vm, step.script);
    }
    await pods.vm.serve({ type: "http", name: "vm-app", port: 8080 });
    const machine = await startMachine(pods.vm);
    await startSidecarPair(pods, async (pod) => ({
      token: await tokenOf(kube, pod.name),
      controlPlaneRoot: readFileSync(join(folder, "root-cert.pem"), "utf8"),
    }));
    await runner.follow(stepsUnder(text, "See it")).catch((cause: unknown) => {
      throw new Error(machine.log(), { cause });
    });
    const call = () =>
      pods.client.call({ address: "10.96.0.20", port: 80, protocol: "http", host: "vm.shop.svc.cluster.local" });
    const reply = await eventually(
      "an answer of the VM",
      async () => {
        const found = await call();
        return "status" in found && found.status === 200 ? found : undefined;
      },
      { seconds: 30 },
    );
    expect(reply).toMatchObject({ status: 200, headers: { "x-echo": "vm-app" } });
    // The proxy of the VM tells the application who called, and as whom it answers.
    expect(reply.body).toMatch(
      /By=spiffe:\/\/cluster.local\/ns\/shop\/sa\/vm;.*URI=spiffe:\/\/cluster.local\/ns\/shop\/sa\/client/u,
    );
    // A caller without a certificate does not reach the application.
    const plain = await pods.istiod.call({ address: pods.vm.address, port: 8080, protocol: "http", host: "app" });
    expect(plain).toHaveProperty("failed");
  });

  test.each(rows)("gets the same files from istioctl, apart from the token: $ours", async ({ ours, theirs }) => {
    const { kubeconfig, runner } = world();
    const [own, foreign] = ["ours", "theirs"].map((name) => mkdtempSync(join(runner.folder, `${name}-`)));
    const place = ["-n", "shop", "kube:", "--kubeconfig", kubeconfig, "--output", own ?? ""];
    const written = await runCommand(["workload", "configure", ...ours.split(" "), ...place]);
    expect(written).toMatchObject({ code: 0 });
    const flags = ["--namespace", "shop", "-o", foreign ?? "", "-c", kubeconfig, ...theirs.split(" ")];
    execFileSync(await peerPath("istioctl"), ["x", "workload", "entry", "configure", ...flags], { stdio: "pipe" });
    expect(comparable(own ?? "")).toEqual(comparable(foreign ?? ""));
  });

  test("gets the same files from a running server, with a token of its user", async () => {
    const { runner, folder } = world();
    const flags = "--output by-server --token vm-files/istio-token --autoregister --ingress-ip 10.79.0.2";
    const script = `binnacle workload configure vm -n shop --server 127.0.0.1:8080 ${flags}\n`;
    await runner.follow([{ type: "run", line: 0, script, eventually: false, output: [] }]);
    const { mesh, env, ...rest } = comparable(join(runner.folder, "by-server"));
    const { mesh: _mesh, env: clusterEnv, ...expected } = comparable(folder);
    expect(rest).toEqual(expected);
    expect(env).toBe(clusterEnv);
    expect(mesh.defaultConfig.proxyMetadata).toMatchObject({ ISTIO_META_AUTO_REGISTER_GROUP: "vm" });
  });
});

/** The files of a machine. Of the token, all claims but its times and its id. */
function comparable(folder: string) {
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const [, payload = ""] = read("istio-token").split(".");
  const { iat, nbf, exp, jti, ...claims } = JSON.parse(Buffer.from(payload, "base64url").toString());
  return {
    env: read("cluster.env"),
    hosts: read("hosts"),
    roots: read("root-cert.pem"),
    mesh: parse(read("mesh.yaml")),
    claims,
    seconds: exp - iat,
    hasId: jti !== undefined && nbf !== undefined,
  };
}
