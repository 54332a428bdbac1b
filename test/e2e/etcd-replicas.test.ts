import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";
import { SotwClient } from "./support/xds/ads-client.ts";
import { DeltaHolder } from "./support/xds/delta-holder.ts";

const describeWithEtcd = await describeWith("kube");
const bookinfo = join(import.meta.dirname, "../../examples/bookinfo");
const flipped = "outbound|80||flipped.example.com";

function flippedEntry(address: string): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: flipped, namespace: shop }
spec:
  hosts: [flipped.example.com]
  ports: [{ number: 80, name: http, protocol: HTTP }]
  resolution: STATIC
  endpoints: [{ address: ${address} }]
`;
}

/** A proxy that has received everything. */
async function settled(port: number): Promise<DeltaHolder> {
  const proxy = new DeltaHolder(port, sidecarNode);
  proxy.ask(clusterType);
  const clusters = await proxy.next(clusterType);
  proxy.ask(
    endpointType,
    clusters.filter((name) => name.startsWith("outbound|")),
  );
  await proxy.next(endpointType);
  proxy.ask(listenerType);
  await proxy.next(listenerType);
  proxy.ask(routeType, ["9080", "80"]);
  await proxy.next(routeType);
  return proxy;
}

/** All clusters of a SotW proxy. */
async function allClusters(port: number): Promise<object> {
  using client = new SotwClient(port, sidecarNode);
  client.subscribe(clusterType);
  const { versionInfo, resources } = await client.next(clusterType);
  return { versionInfo, bytes: resources.map(({ value }) => Buffer.from(value).toString("base64")).toSorted() };
}

describeWithEtcd("servers that share an etcd", () => {
  let etcd: Etcd;
  let empty: MeshDir;
  let [first, second]: (BinnacleProcess | undefined)[] = [];
  let addresses = 0;

  const serve = (xdsPort = 0) =>
    startBinnacle({ dir: empty.path, xdsPort, args: ["--source", etcd.url("mesh"), "--log-level", "warn"] });

  const apply = async (args: readonly string[], input = "") => {
    const ended = await runCommand(["apply", ...args, "--store", etcd.url("mesh")], { input });
    expect(ended).toMatchObject({ code: 0 });
  };

  /** Changes the endpoint of one service, which causes one response. */
  const flip = () => apply(["-f", "-"], flippedEntry(`10.0.0.${++addresses}`));

  beforeAll(async () => {
    etcd = await Etcd.start();
    empty = new MeshDir();
    await apply([bookinfo]);
    await flip();
    [first, second] = await Promise.all([serve(), serve()]);
  });

  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop()]);
    empty[Symbol.dispose]();
    await etcd[Symbol.asyncDispose]();
  });

  /** The resources that a proxy gets until the next change arrives, including that change. */
  async function sentUntilFlip(proxy: DeltaHolder): Promise<readonly string[]> {
    await flip();
    while (!(await proxy.next(endpointType)).includes(flipped));
    await proxy.take();
    return proxy.sent;
  }

  test("serve the same bytes with the same versions", async () => {
    using one = await settled(first?.xdsPort ?? 0);
    using other = await settled(second?.xdsPort ?? 0);
    expect(one.held.get(clusterType)?.size).toBeGreaterThan(5);
    expect(other.held).toEqual(one.held);
  });

  test("serve the same bytes with the same versions to SotW proxies", async () => {
    expect(await allClusters(second?.xdsPort ?? 0)).toEqual(await allClusters(first?.xdsPort ?? 0));
  });

  test("send nothing to a proxy that moves from one to the other", async () => {
    using before = await settled(first?.xdsPort ?? 0);
    using moved = new DeltaHolder(second?.xdsPort ?? 0, sidecarNode, before.held);
    expect(await sentUntilFlip(moved)).toEqual([`${endpointType} +${flipped}`]);
  });

  test("send nothing to a proxy that reconnects after a server was killed and restarted", async () => {
    using before = await settled(first?.xdsPort ?? 0);
    const { xdsPort = 0 } = first ?? {};
    first?.kill("SIGKILL");
    await first?.exited;
    first = await serve(xdsPort);
    using back = new DeltaHolder(xdsPort, sidecarNode, before.held);
    expect(await sentUntilFlip(back)).toEqual([`${endpointType} +${flipped}`]);
  });

  test("send nothing while etcd is down, nor when it is back", async () => {
    using proxy = await settled(first?.xdsPort ?? 0);
    const before = proxy.sent.length;
    await etcd.kill();
    await etcd.restart();
    expect((await sentUntilFlip(proxy)).slice(before)).toEqual([`${endpointType} +${flipped}`]);
  });

  test("report the origin of an object, and the proxies that hold its resources", async () => {
    using proxy = await settled(second?.xdsPort ?? 0);
    await proxy.take();
    const server = ["--server", `127.0.0.1:${second?.httpPort}`];
    const described = await runCommand(["describe", "se", "flipped", "-n", "shop", ...server]);
    expect(described).toMatchObject({ code: 0, stderr: "" });
    expect(described.stdout.replaceAll(/ +/gu, " ")).toContain(
      `from: /mesh/networking.istio.io/serviceentries/shop/flipped:1\nsource: ${etcd.url("mesh")}\n`,
    );
    expect(described.stdout).toContain(`CDS ${flipped}`);
    expect(described.stdout).toMatch(/no problems$/u);
    const missing = await runCommand(["describe", "se", "fliped", "-n", "shop", ...server]);
    expect(missing).toMatchObject({
      code: 1,
      stderr: "binnacle describe: the mesh has no ServiceEntry shop/fliped; did you mean shop/flipped?",
    });
  });
});
