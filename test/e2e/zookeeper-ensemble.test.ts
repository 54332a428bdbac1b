import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { Random } from "../../src/testing/random/random.ts";
import { seed } from "../../src/testing/random/seed.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { ZooKeeperEnsemble } from "./support/registry/zookeeper.ts";
import { EndpointJudge } from "./support/registry/zookeeper-judge.ts";
import { ChurningRegistry } from "./support/registry/zookeeper-registry.ts";
import { ZooKeeperWriter } from "./support/registry/zookeeper-writer.ts";
import { atScale } from "./support/scale.ts";

const size = atScale({
  quick: { prefix: "Service", interfaces: 5, providers: 100, churn: 200 },
  whole: { prefix: "Service", interfaces: 20, providers: 1000, churn: 5000 },
});
const describeWithZooKeeper = await describeWith("zookeeper");

describeWithZooKeeper("a mesh whose services are in an ensemble of ZooKeepers", () => {
  const random = new Random(seed);
  const resources = new AsyncDisposableStack();
  let ensemble: ZooKeeperEnsemble;
  let writer: ZooKeeperWriter;
  let registry: ChurningRegistry;
  let binnacle: BinnacleProcess;
  let judge: EndpointJudge;

  beforeAll(async () => {
    ensemble = resources.use(await ZooKeeperEnsemble.start(3));
    writer = resources.use(await ZooKeeperWriter.connect(ensemble.addresses));
    registry = new ChurningRegistry(writer, size);
    await registry.registerAll();
    const mesh = resources.use(new MeshDir());
    const source = `zookeeper://${ensemble.addresses.slice(0, 2).join()}/dubbo?session-timeout=2s`;
    binnacle = resources.use(await startBinnacle({ dir: mesh.path, args: ["--source", source] }));
    judge = resources.use(new EndpointJudge(binnacle.xdsPort));
    await registry.shown(judge);
  });

  afterAll(() => resources.disposeAsync());

  test("killing the leader while providers come and go loses no endpoint", async () => {
    const leader = await ensemble.leader();
    const churned = registry.churn(size.churn, random);
    await ensemble.kill(leader);
    await churned;
    await ensemble.restart(leader);
    await registry.shown(judge);
    expect(registry.flapped(judge)).toEqual([]);
  });

  test("a control plane with an expired session shows all registered providers, never fewer", async () => {
    const before = await ensemble.sessions();
    binnacle.kill("SIGSTOP");
    const expired = async () => (await ensemble.sessions()) < before;
    await Promise.all([registry.churn(20, random), eventually("its session expired", expired, { seconds: 30 })]);
    binnacle.kill("SIGCONT");
    await registry.shown(judge);
    expect(registry.flapped(judge)).toEqual([]);
  });

  test("the client leaves a silent server for another one", async () => {
    // One of the other two is the one that the control plane is connected to.
    const [, , last = ""] = ensemble.addresses;
    using distant = await ZooKeeperWriter.connect([last]);
    const more = new ChurningRegistry(distant, { prefix: "Distant", interfaces: 1, providers: 10 });
    for (const silent of [0, 1]) {
      ensemble.pause(silent);
      await (silent === 0 ? more.registerAll() : more.churn(10, random));
      await more.shown(judge);
      ensemble.resume(silent);
    }
    expect([...registry.flapped(judge), ...more.flapped(judge)]).toEqual([]);
  });
});
