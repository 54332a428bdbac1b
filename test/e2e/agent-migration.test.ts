import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeRoots } from "../../src/ca/roots.ts";
import { Sealed } from "../../src/lib/sealed.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { makeCacerts } from "./support/agent/cacerts.ts";
import { ControlPlane } from "./support/agent/control-plane.ts";
import { startIstiod } from "./support/agent/istiod-pod.ts";
import { appAddress, openKubeShop, tokenOf } from "./support/agent/kube-shop.ts";
import { startSidecarPair } from "./support/agent/sidecar-pair.ts";
import { Load } from "./support/envoy/fortio.ts";
import { Kube } from "./support/kube/kube.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { forwardToMachine } from "./support/pod/forward.ts";
import { openPodNetwork } from "./support/pod/pod-network.ts";
import { shared } from "./support/shared.ts";

const describeIstiod = await describeWithNetwork("envoy", "fortio", "iptables", "istiod", "kube", "pilot-agent");
const host = "app.shop.svc.cluster.local";

describeIstiod("a mesh of a real istiod", () => {
  const world = shared(async (stack) => {
    const cacerts = mkdtempSync(join(tmpdir(), "binnacle-cacerts-"));
    stack.defer(() => rmSync(cacerts, { recursive: true, force: true }));
    makeCacerts(cacerts);
    const { pods } = stack.use(await openPodNetwork("istiod", "client", "server"));
    const kube = stack.use(await Kube.start());
    await openKubeShop(kube, pods.client, pods.server);
    stack.use(await forwardToMachine(pods.istiod, kube.port));
    const startOld = () => startIstiod(pods.istiod, kube.kubeconfig("admin"), cacerts);
    const flags = ["--source", "kube:", "--kubeconfig", kube.kubeconfig("admin"), "--token-review"];
    const tls = ["--xds-tls", "0.0.0.0:15012", "--ca", "self-signed", "--ca-state", stateFrom(cacerts)];
    const ours = new ControlPlane(pods.istiod, stack.use(new MeshDir()).path, ...flags, ...tls);
    const istiod = await startOld();
    const agents = await startSidecarPair(pods, async (pod) => ({
      token: await tokenOf(kube, pod.name),
      controlPlaneRoot: readFileSync(join(cacerts, "root-cert.pem"), "utf8"),
      // Certificates are renewed every three seconds, so each control plane has to issue some.
      env: { SECRET_TTL: "6s" },
    }));
    return { pods, istiod, ours, startOld, agents };
  });

  test("moves to us and back with live proxies, and no request fails", async () => {
    const { pods, istiod, ours, startOld, agents } = world();
    const both = [agents.client, agents.server];
    const target = { address: appAddress, port: 80, host, path: "/" };
    expect(await pods.client.call({ ...target, protocol: "http" })).toMatchObject({ status: 200 });
    const launch = (command: string, args: readonly string[]) => pods.client.start(command, args);
    await using load = await Load.start({ ...target, qps: 50, launch });
    const untilRenewed = async () => {
      const before = new Map(both.map((agent) => [agent, agent.issued()]));
      const after = () => both.every((agent) => agent.issued() > (before.get(agent) ?? 0));
      await eventually("renewed certificates", after, { seconds: 30 });
    };
    await untilRenewed();
    await istiod.stop();
    await ours.start();
    for (const name of ["client", "server"]) {
      const states = ["CDS SYNCED", "EDS SYNCED", "LDS SYNCED", "RDS SYNCED"];
      const sync = async () => (await ours.syncOf(`${name}-0.shop`))?.states;
      await expect.poll(sync, { timeout: 60_000 }).toEqual(states);
    }
    await untilRenewed();
    for (const agent of both) expect(await agent.rejections()).toEqual([]);
    await ours.kill("SIGTERM");
    await startOld();
    await untilRenewed();
    const requests = await load.stop();
    expect(requests.filter(({ ok }) => !ok)).toEqual([]);
    expect(requests.length).toBeGreaterThan(100);
    for (const agent of both) expect(agent.linesLike(/Envoy command:/u)).toHaveLength(1);
  });
});

/** Writes istiod's authority as the state of ours, so that both sign below the same root. */
function stateFrom(cacerts: string): string {
  const state = join(cacerts, "state");
  mkdirSync(state, { mode: 0o700 });
  const read = (name: string) => readFileSync(join(cacerts, name), "utf8");
  const root = read("root-cert.pem");
  const signing = { certificate: read("ca-cert.pem"), key: new Sealed(read("ca-key.pem")), chain: [], root };
  const roots = encodeRoots({ phase: "steady", phaseSince: Date.now(), signing, trusted: [root] });
  writeFileSync(join(state, "ca-roots.1.json"), roots.reveal(), { mode: 0o600 });
  return state;
}
