import { rmSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { appAddresses, checkedFile } from "./inject/played-pods.ts";
import { openPlayedWorld } from "./inject/played-world.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeAgents = await describeWithNetwork("envoy", "iptables", "kube", "pilot-agent");

/** Order matters: the last tests stop applications. */
describeAgents("pods of an API server that our webhook injected, played with Istio's binaries", () => {
  writeFileSync(checkedFile, "");
  afterAll(() => rmSync(checkedFile, { force: true }));
  const world = shared(openPlayedWorld);

  test("start their containers in the order of a kubelet", () => {
    const { client, server, gateway } = world();
    expect(client.events).toEqual([
      "istio-init started",
      "istio-init ended",
      "istio-proxy started",
      "istio-proxy is up",
      "setup started",
      "setup ended",
      "app started",
    ]);
    expect(server.events).toEqual([
      "prepare started",
      "prepare ended",
      "istio-init started",
      "istio-init ended",
      "istio-proxy started",
      "istio-proxy postStart",
      "app started",
      "checked started",
    ]);
    expect(gateway.events).toEqual(["net.ipv4.ip_unprivileged_port_start ended", "istio-proxy started"]);
  });

  test.each([
    ["client", "server"],
    ["server", "client"],
  ] as const)("%s reaches %s over mTLS with its own identity", async (from, to) => {
    const dial = { protocol: "http", host: `${to}.shop.svc.cluster.local` } as const;
    const reply = await world()[from].pod.call({ ...dial, address: appAddresses[to], port: 80 });
    expect(reply).toMatchObject({ status: 200, headers: { "x-echo": to } });
    expect("body" in reply && reply.body).toContain(`URI=spiffe://cluster.local/ns/shop/sa/${from}`);
  });

  test("a caller without a proxy is refused", async () => {
    const { node, client, server } = world();
    for (const { pod } of [client, server]) {
      const plain = await node.call({ protocol: "http", host: "app", address: pod.address, port: 8080 });
      expect(plain).toEqual({ failed: expect.stringMatching(/hang up|ECONNRESET/u) });
    }
  });

  test("an injected gateway serves a port below 1024 as a user without rights", async () => {
    const { node, gateway } = world();
    expect(gateway.container("istio-proxy").securityContext).toMatchObject({ runAsUser: 1337 });
    const reply = await node.call({ protocol: "http", host: "any", address: gateway.pod.address, port: 80 });
    expect(reply).toMatchObject({ status: 200, headers: { "x-echo": "server" } });
    expect("body" in reply && reply.body).toContain("URI=spiffe://cluster.local/ns/shop/sa/gateway");
  });

  test("every proxy is synced", async () => {
    const states = ["CDS SYNCED", "EDS SYNCED", "LDS SYNCED", "RDS SYNCED"];
    for (const name of ["client", "server", "gateway"]) {
      await expect.poll(() => world().control.syncOf(`${name}.shop`)).toMatchObject({ mode: "delta", states });
    }
  });

  test("the agent answers the application's probes by HTTP, TCP and gRPC, and the container its command", async () => {
    const { server } = world();
    for (const probe of ["readinessProbe", "livenessProbe", "startupProbe"] as const) {
      expect([probe, server.container("app")[probe]?.httpGet?.port]).toEqual([probe, 15_020]);
      expect([probe, await server.probe("app", probe)]).toEqual([probe, undefined]);
    }
    expect(await server.probe("checked", "readinessProbe")).toBeUndefined();
  });

  test("a probe fails when the application fails it", async () => {
    const { server } = world();
    expect(await server.probe("checked", "livenessProbe")).toBe("status 503");
    rmSync(checkedFile);
    expect(await server.probe("checked", "readinessProbe")).toContain("ended with 1");
    await server.child("app").stop();
    for (const probe of ["readinessProbe", "livenessProbe", "startupProbe"] as const) {
      expect([probe, await server.probe("app", probe)]).toEqual([probe, "status 500"]);
    }
    expect(await server.probe("istio-proxy", "readinessProbe")).toBeUndefined();
  });

  test("a native sidecar drains first and ends after its application", async () => {
    const { client } = world();
    const before = client.events.length;
    await client.stop();
    expect(client.events.slice(before)).toEqual(["istio-proxy preStop", "app ended", "istio-proxy ended"]);
  });
});
