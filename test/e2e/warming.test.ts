import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { defaultOptions } from "../../src/app/options/options.ts";
import { protocolDefaults } from "../../src/app/pipeline.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { wire } from "../../src/app/wire.ts";
import { YamlSource } from "../../src/testing/galley/yaml-source.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { type WarmingRules, warmingRules } from "../../src/xds/stream/warming.ts";
import { type EnvoyProcess, startEnvoy } from "./support/envoy/envoy.ts";
import { openShop, reviewsRule, type Shop, splitYaml } from "./support/envoy/shop.ts";
import { freePort } from "./support/free-port.ts";
import { describeWith } from "./support/peers.ts";
import { objectYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");

/** A server in this process that can be stopped and started again on its port, with rules switched off. */
class Server implements AsyncDisposable {
  readonly #shop: Shop;
  readonly port: number;
  /** Objects that validation would refuse go in here. */
  readonly unvalidated = new YamlSource("unvalidated");
  #stop: () => Promise<void> = () => Promise.resolve();

  constructor(shop: Shop, port: number) {
    this.#shop = shop;
    this.port = port;
  }

  async start(off: Partial<WarmingRules>, ackTimeoutMs = protocolDefaults.ackTimeoutMs): Promise<void> {
    const sources = [`file:${this.#shop.mesh.path}`];
    const listeners = { xds: `127.0.0.1:${this.port}`, http: "127.0.0.1:0", metrics: "127.0.0.1:0", ctrlz: "off" };
    const protocol = { ...protocolDefaults, warmingRules: { ...warmingRules, ...off }, ackTimeoutMs };
    const around = { clock: systemClock, logger: new RecordingLogger(), version: "test" };
    const context = { ...around, protocol, ownSources: [this.unvalidated] };
    const { lifecycle } = wire({ ...defaultOptions(), ...listeners, sources }, context);
    await lifecycle.start();
    this.#stop = () => lifecycle.stop();
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

interface Setting {
  readonly shop: Shop;
  readonly server: Server;
  readonly envoy: EnvoyProcess;
}

/** Something that makes Envoy warm clusters again, after it went live on a server with all rules. */
type Story = (setting: Setting, off: Partial<WarmingRules>) => Promise<void>;

function editClusters({ mesh }: Shop): void {
  mesh.write("rule.yaml", reviewsRule({ connectTimeout: "7s" }));
}

const startedOver: Story = async ({ server }, off) => {
  await server.stop();
  await server.start(off);
};

const edited: Story = async (setting, off) => {
  await startedOver(setting, off);
  await setting.envoy.settled();
  editClusters(setting.shop);
};

const restartedWithAnEdit: Story = async ({ shop, server }, off) => {
  await server.stop();
  editClusters(shop);
  await server.start(off);
};

const diedBetweenClustersAndEndpoints: Story = async (setting, off) => {
  await edited(setting, { endpointsFollowClusters: false });
  await setting.envoy.waitFor(async (envoy) => (await envoy.stat(warming)) > 0);
  await startedOver(setting, off);
};

/** One edit changes the clusters of the reviews and spoils that of the ratings; then that one is repaired. */
const rejectedAndRepaired: Story = async (setting, off) => {
  const { server, envoy } = setting;
  await startedOver(setting, off);
  await envoy.settled();
  server.unvalidated.batch(() => {
    server.unvalidated.applyUnvalidated(reviewsRule({ connectTimeout: "7s" }));
    server.unvalidated.applyUnvalidated(ratingsRule(10_000_000));
  });
  await envoy.waitFor(async () => (await envoy.stat("cluster_manager.cds.update_rejected")) > 0);
  server.unvalidated.applyUnvalidated(ratingsRule(1024));
};

/** Envoy refuses more than 8 Mi entries in a ring, and with it all clusters of that response. */
function ratingsRule(minimumRingSize: number): string {
  return objectYaml("DestinationRule", "ratings", {
    host: "ratings.shop.svc.cluster.local",
    trafficPolicy: {
      loadBalancer: { consistentHash: { httpHeaderName: "x-user", ringHash: { minimumRingSize } } },
    },
  });
}

const warming = "cluster_manager.warming_clusters";

const rules: readonly {
  readonly rule: keyof WarmingRules;
  readonly mode: "sotw" | "delta";
  readonly story: Story;
  readonly also?: Partial<WarmingRules>;
}[] = [
  { rule: "endpointsFollowClusters", mode: "delta", story: edited },
  { rule: "rejectedClustersNeedEndpoints", mode: "sotw", story: rejectedAndRepaired },
  { rule: "rejectedClustersNeedEndpoints", mode: "delta", story: rejectedAndRepaired },
  { rule: "endpointsOvertakeAcks", mode: "sotw", story: restartedWithAnEdit },
  { rule: "endpointsOvertakeAcks", mode: "delta", story: restartedWithAnEdit },
  { rule: "resentClustersNeedEndpoints", mode: "delta", story: restartedWithAnEdit },
  { rule: "endpointsFirstMeansWarming", mode: "delta", story: diedBetweenClustersAndEndpoints },
  // Endpoints that follow their clusters make the question unnecessary: it is the second line of defence.
  { rule: "repeatedRequestIsQuestion", mode: "sotw", story: edited, also: { endpointsFollowClusters: false } },
];

/** Plays the story to a real Envoy that was live before. */
async function play(story: Story, mode: "sotw" | "delta", off: Partial<WarmingRules>): Promise<AsyncDisposableSetting> {
  const stack = new AsyncDisposableStack();
  const shop = stack.use(await openShop(splitYaml(50, 50)));
  const server = stack.use(new Server(shop, await freePort()));
  await server.start({});
  const envoy = stack.use(await startEnvoy({ xdsPort: server.port, mode }));
  await envoy.settled();
  await story({ shop, server, envoy }, off);
  return { shop, server, envoy, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

interface AsyncDisposableSetting extends Setting, AsyncDisposable {}

async function hasClusterTimeout(envoy: EnvoyProcess, timeout: string): Promise<boolean> {
  return JSON.stringify(await envoy.configDump()).includes(`"connect_timeout":"${timeout}"`);
}

describeWithEnvoy("warming", () => {
  describe.each(rules)("$rule, $mode", ({ rule, mode, story, also = {} }) => {
    test("with the rule, Envoy activates the new clusters", async () => {
      await using setting = await play(story, mode, also);
      await setting.envoy.waitFor(async (envoy) => hasClusterTimeout(envoy, "7s"));
      await setting.envoy.waitFor(async (envoy) => (await envoy.stat(warming)) === 0);
      expect(await setting.envoy.stat("control_plane.connected_state")).toBe(1);
    });

    test("without the rule, Envoy keeps warming for ever", async () => {
      await using setting = await play(story, mode, { ...also, [rule]: false });
      await setting.envoy.waitFor(async (envoy) => (await envoy.stat(warming)) > 0);
      // Nothing tells us that nothing will come. Warming takes milliseconds when it works; the acknowledgement's time-out
      // is far away.
      await pause(1000);
      expect(await setting.envoy.stat(warming)).toBeGreaterThan(0);
    });
  });

  test("an overdue ACK resends the endpoints instead of ending the stream", async () => {
    await using setting = await play(() => Promise.resolve(), "delta", {});
    const { server, envoy, shop } = setting;
    await server.stop();
    await server.start({ endpointsFollowClusters: false }, 1000);
    await envoy.settled();
    const connections = await envoy.stat("cluster.xds-grpc.upstream_cx_total");
    editClusters(shop);
    await envoy.waitFor(async () => (await envoy.stat(warming)) > 0);
    await envoy.settled();
    expect(await hasClusterTimeout(envoy, "7s")).toBe(true);
    expect(await envoy.stat("cluster.xds-grpc.upstream_cx_total")).toBe(connections);
  });
});
