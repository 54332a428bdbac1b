import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { ZooKeeperEnsemble } from "./support/registry/zookeeper.ts";
import { EndpointJudge } from "./support/registry/zookeeper-judge.ts";
import { providerPath, ZooKeeperWriter } from "./support/registry/zookeeper-writer.ts";

const describeWithZooKeeper = await describeWith("zookeeper");

/** The data of an instance as Spring Cloud registers it. */
function instance(port: number, status: string): string {
  const payload = { "@class": "Instance", metadata: { instance_status: status } };
  return JSON.stringify({ name: "Shop_Cart", address: "10.0.2.1", port, sslPort: null, payload });
}

describeWithZooKeeper("a mesh whose services are in ZooKeeper", () => {
  const resources = new AsyncDisposableStack();
  let ensemble: ZooKeeperEnsemble;
  let writer: ZooKeeperWriter;
  let judge: EndpointJudge;

  beforeAll(async () => {
    ensemble = resources.use(await ZooKeeperEnsemble.start());
    writer = resources.use(await ZooKeeperWriter.connect(ensemble.addresses));
    const mesh = resources.use(new MeshDir());
    mesh.write("password", "secret\n");
    await writer.make(`/locked${providerPath("com.acme.Vault", "10.0.6.1:20880")}`);
    await writer.lock("/locked/com.acme.Vault/providers", "reader", "secret");
    const login = `user=reader&password-file=${join(mesh.path, "password")}`;
    const servers = `zookeeper://${ensemble.addresses.join()}`;
    const sources = [
      `${servers}/dubbo?session-timeout=2s`,
      `${servers}/services?layout=curator`,
      `${servers}/locked?namespace=locked&${login}`,
      `${servers}/polled?mode=polling&refresh=200ms&host-suffix=.polled&namespace=polled`,
    ];
    const args = sources.flatMap((source) => ["--source", source]);
    const binnacle = resources.use(await startBinnacle({ dir: mesh.path, args }));
    judge = resources.use(new EndpointJudge(binnacle.xdsPort));
  });

  afterAll(() => resources.disposeAsync());

  /** The endpoints of the cluster, once there are `count` of them. */
  function endpoints(cluster: string, count: number): Promise<readonly string[]> {
    const shown = () => {
      const held = judge.endpoints(cluster);
      return held?.length === count ? held : undefined;
    };
    return eventually(`${cluster} has ${count} endpoints`, shown, { seconds: 20 });
  }

  test("each change of providers causes one EDS response, and no CDS response", async () => {
    const cluster = "outbound|20880||com.acme.cart";
    const [first, second] = [1, 2].map((host) => `/dubbo${providerPath("com.acme.Cart", `10.0.0.${host}:20880`)}`);
    await writer.register(first ?? "");
    expect(await endpoints(cluster, 1)).toEqual(["10.0.0.1:20880"]);
    const before = judge.responses;
    await writer.register(second ?? "");
    expect(await endpoints(cluster, 2)).toEqual(["10.0.0.1:20880", "10.0.0.2:20880"]);
    await writer.remove(first ?? "");
    expect(await endpoints(cluster, 1)).toEqual(["10.0.0.2:20880"]);
    await writer.remove(second ?? "");
    expect(await endpoints(cluster, 0)).toEqual([]);
    expect(judge.responses).toEqual({ clusters: before.clusters, endpoints: before.endpoints + 3 });
  });

  test("a provider on a lost machine disappears when its session expires", async () => {
    const cluster = "outbound|20880||com.acme.pay";
    const lost = `/dubbo${providerPath("com.acme.Pay", "10.0.1.1:20880")}`;
    const machine = await ZooKeeperWriter.connect(ensemble.addresses, 1_000);
    await machine.register(lost);
    await writer.register(`/dubbo${providerPath("com.acme.Pay", "[fd00::1]:20880")}`);
    expect(await endpoints(cluster, 2)).toEqual(["10.0.1.1:20880", "fd00::1:20880"]);
    machine.vanish();
    expect(await endpoints(cluster, 1)).toEqual(["fd00::1:20880"]);
  });

  test("follows a Spring instance that changes its data", async () => {
    await writer.register("/services/Shop_Cart/one", instance(8080, "UP"));
    expect(await endpoints("outbound|8080||shop-cart", 1)).toEqual(["10.0.2.1:8080"]);
    await writer.write("/services/Shop_Cart/one", instance(8080, "OUT_OF_SERVICE"));
    expect(await endpoints("outbound|8080||shop-cart", 0)).toEqual([]);
    await writer.write("/services/Shop_Cart/one", instance(9090, "UP"));
    expect(await endpoints("outbound|9090||shop-cart", 1)).toEqual(["10.0.2.1:9090"]);
  });

  test("polling a registry shows its changes", async () => {
    const cluster = "outbound|20880||com.acme.stock.polled";
    const path = `/polled${providerPath("com.acme.Stock", "10.0.3.1:20880")}`;
    await writer.register(path);
    expect(await endpoints(cluster, 1)).toEqual(["10.0.3.1:20880"]);
    await writer.remove(path);
    expect(await endpoints(cluster, 0)).toEqual([]);
  });

  test("reads a locked registry with its password", async () => {
    expect(await endpoints("outbound|20880||com.acme.vault", 1)).toEqual(["10.0.6.1:20880"]);
  });

  test("a restarted server loses nothing, and is followed again", async () => {
    const cluster = "outbound|20880||com.acme.mail";
    await writer.make(`/dubbo${providerPath("com.acme.Mail", "10.0.4.1:20880")}`);
    expect(await endpoints(cluster, 1)).toEqual(["10.0.4.1:20880"]);
    await ensemble.kill(0);
    await ensemble.restart(0);
    // The earlier sessions may have expired meanwhile.
    using afterwards = await ZooKeeperWriter.connect(ensemble.addresses);
    await afterwards.make(`/dubbo${providerPath("com.acme.Mail", "10.0.4.2:20880")}`);
    expect(await endpoints(cluster, 2)).toEqual(["10.0.4.1:20880", "10.0.4.2:20880"]);
    expect(judge.history(cluster).map(({ size }) => size)).toEqual([1, 2]);
  });
});
