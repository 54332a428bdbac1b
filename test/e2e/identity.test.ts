import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { ControlPlane } from "./support/agent/control-plane.ts";
import { identitiesOfAuthority } from "./support/agent/identities.ts";
import { appYaml, strictYaml } from "./support/agent/shop-world.ts";
import { startSidecarPair } from "./support/agent/sidecar-pair.ts";
import { Load } from "./support/envoy/fortio.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { openPodNetwork } from "./support/pod/pod-network.ts";
import { atScale } from "./support/scale.ts";
import { shared } from "./support/shared.ts";
import { objectYaml } from "./support/yaml.ts";

const describeAgents = await describeWithNetwork("envoy", "fortio", "iptables", "pilot-agent");

/** The time to live of certificates, and how long load goes on before and after the rotation. */
const run = atScale({
  quick: { ttlSeconds: 10, marginSeconds: 1, qps: 100 },
  whole: { ttlSeconds: 60, marginSeconds: 60, qps: 500 },
});
const target = { address: "10.96.0.10", port: 80, host: "app.shop.svc.cluster.local", path: "/" };

/** Ends each connection between the sidecars after a few requests, so that handshakes go on all the time. */
const shortConnections = objectYaml("DestinationRule", "app", {
  host: target.host,
  trafficPolicy: { connectionPool: { http: { maxRequestsPerConnection: 5 } } },
});

describeAgents("certificates of our authority under traffic", () => {
  const world = shared(async (stack) => {
    // Before the pods: they end with their server, which writes into the state of its authority.
    const identities = await identitiesOfAuthority(stack);
    const { pods } = stack.use(await openPodNetwork("istiod", "client", "server"));
    const app = appYaml("app", target.address, pods.server.address);
    const files = { "app.yaml": app, "strict.yaml": strictYaml, "rule.yaml": shortConnections };
    const mesh = stack.use(new MeshDir(files));
    const ttl = `${run.ttlSeconds}s`;
    const control = await new ControlPlane(pods.istiod, mesh.path, ...identities.flags, "--ca-max-ttl", ttl).start();
    const agents = await startSidecarPair(pods, async (pod) => ({
      ...(await identities.agentOf(pod, control)),
      env: { SECRET_TTL: ttl },
      // Istio's bootstrap leaves out the statistics of handshakes otherwise.
      proxyConfig: { proxyStatsMatcher: { inclusionRegexps: [".*ssl.*"] } },
    }));
    return { pods, agents, identities };
  });

  test("are renewed before, during and after a root rotation, and no request and no handshake fails", async () => {
    const { pods, agents, identities } = world();
    const both = [agents.client, agents.server];
    expect(await pods.client.call({ ...target, protocol: "http" })).toMatchObject({ status: 200 });
    const launch = (command: string, args: readonly string[]) => pods.client.start(command, args);
    await using load = await Load.start({ ...target, qps: run.qps, launch });
    await pause(run.marginSeconds * 1000);
    const [oldRoot] = identities.roots().trusted;
    await identities.rotate();
    const phases = new Set<string>();
    const rotated = () => {
      const { phase, trusted } = identities.roots();
      if (!phases.has(phase)) for (const agent of both) agent.trustControlPlane(trusted.join("\n"));
      phases.add(phase);
      return phase === "steady" && !trusted.includes(oldRoot ?? "");
    };
    await eventually("the end of the rotation", rotated, { seconds: run.ttlSeconds * 5 });
    await pause(run.marginSeconds * 1000);
    const requests = await load.stop();
    expect([...phases]).toEqual(["distribute", "sign", "retire", "steady"]);
    expect(requests.filter(({ ok }) => !ok)).toEqual([]);
    for (const agent of both) {
      expect(agent.issued()).toBeGreaterThan(2);
      expect(await agent.failedHandshakes()).toEqual([]);
    }
    expect(await agents.client.handshakes()).toBeGreaterThan(requests.length / 10);
  });
});
