/**
 * Runs in its own network namespace, where pods can have addresses. Plays the story of a mesh with services from files,
 * Kubernetes, ZooKeeper and Eureka at once. Prints as JSON which workloads answered a real Envoy in each chapter.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { eventually } from "../../../src/testing/eventually.ts";
import { startBinnacle } from "../support/binnacle/server.ts";
import { sidecarNode } from "../support/envoy/bootstrap.ts";
import { startEnvoy } from "../support/envoy/envoy.ts";
import { get, many } from "../support/http.ts";
import { Kube } from "../support/kube/kube.ts";
import { apply, bookinfo, podOf, port, runPod } from "../support/kube/kube-bookinfo.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { Eureka } from "../support/registry/eureka.ts";
import { ZooKeeperEnsemble } from "../support/registry/zookeeper.ts";
import { ZooKeeperWriter } from "../support/registry/zookeeper-writer.ts";
import { serviceYaml } from "../support/yaml.ts";

const run = promisify(execFile);

/** The service of each source, all on one port. */
const hosts = {
  file: "cart.shop.svc.cluster.local",
  kube: "reviews.bookinfo.svc.cluster.local",
  zookeeper: "stock.zoo",
  eureka: "pay.eureka.svc.cluster.local",
};
type Origin = keyof typeof hosts;

/** The workloads that answered, for the service of each source. */
export interface Chapter {
  readonly chapter: string;
  readonly answered: Readonly<Record<string, readonly string[]>>;
}

/** The troubles that the Envoy reports. */
export interface Ending {
  readonly troubles: readonly string[];
}

const origins = ["file", "kube", "zookeeper", "eureka"] as const;

/** Starts a workload at its own address. */
async function serve(name: string, address: string): Promise<void> {
  await run("ip", ["addr", "add", `${address}/32`, "dev", "lo"]);
  const server = createServer((_request, response) => response.setHeader("x-echo", name).end(name));
  server.listen(port, address);
  await once(server, "listening");
}

/** The four servers, and ways to register workloads in each. */
class World implements AsyncDisposable {
  readonly mesh = new MeshDir();
  readonly kube: Kube;
  readonly zookeeper: ZooKeeperEnsemble;
  readonly eureka: Eureka;
  readonly #writer: ZooKeeperWriter;

  private constructor(kube: Kube, zookeeper: ZooKeeperEnsemble, eureka: Eureka, writer: ZooKeeperWriter) {
    this.kube = kube;
    this.zookeeper = zookeeper;
    this.eureka = eureka;
    this.#writer = writer;
  }

  static async open(): Promise<World> {
    const [kube, zookeeper, eureka] = await Promise.all([
      Kube.start({ controllers: true }),
      ZooKeeperEnsemble.start(),
      Eureka.start(),
    ]);
    await apply(kube, bookinfo());
    return new World(kube, zookeeper, eureka, await ZooKeeperWriter.connect(zookeeper.addresses));
  }

  /** In order of precedence. */
  get sources(): readonly string[] {
    const ports = `port=${port}&instance-port=off`;
    return [
      "kube:",
      `zookeeper://${this.zookeeper.addresses.join()}/services?layout=curator&host-suffix=.zoo&${ports}`,
      `eureka+http://127.0.0.1:${this.eureka.port}/eureka?refresh=200ms&${ports}`,
    ];
  }

  /** Registers one more workload in every registry, each at its own address. */
  async register(index: number): Promise<void> {
    const addresses = origins.map((_, origin) => `10.1.${origin}.${index}`);
    for (const [at, origin] of origins.entries()) await serve(`${origin}-${index}`, addresses[at] ?? "");
    const [file = "", pod = "", curator = "", instance = ""] = addresses;
    this.mesh.write("cart.yaml", serviceYaml({ name: "cart", port, endpoints: [{ address: file, port }] }));
    await runPod(this.kube, podOf(`reviews-v${index}`, pod));
    const node = { name: "stock", id: `stock-${index}`, address: curator, port };
    await this.#writer.make(`/services/stock/${node.id}`, JSON.stringify(node));
    await this.eureka.register({ app: "PAY", id: `pay-${index}`, address: instance, port });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#writer[Symbol.dispose]();
    this.mesh[Symbol.dispose]();
    await Promise.all([this.kube, this.zookeeper, this.eureka].map((server) => server[Symbol.asyncDispose]()));
  }
}

/** Resolves when exactly these workloads answer for each host. */
async function tell(chapter: string, expected: Readonly<Record<Origin, readonly string[]>>): Promise<void> {
  const answered: Record<string, readonly string[]> = {};
  for (const origin of origins) {
    const ask = async () => {
      const who = [...(await many(40, port, "/", { host: hosts[origin] })).keys()].toSorted();
      return who.join() === expected[origin].join() ? who : undefined;
    };
    answered[origin] = await eventually(`${expected[origin].join()} answer`, ask, { seconds: 60 });
  }
  process.stdout.write(`${JSON.stringify({ chapter, answered } satisfies Chapter)}\n`);
}

/** The states of the sources, in order of precedence, without machines that register themselves. */
async function states(httpPort: number): Promise<string> {
  const { body } = await get(httpPort, "/debug/sources");
  const sources = JSON.parse(body) as readonly { readonly name: string; readonly state: string }[];
  return sources
    .filter(({ name }) => name !== "registration")
    .map(({ state }) => state)
    .join();
}

async function main(): Promise<void> {
  await run("ip", ["link", "set", "lo", "up"]);
  await using world = await World.open();
  await world.register(1);
  const args = [
    ...world.sources.flatMap((source) => ["--source", source]),
    "--kubeconfig",
    world.kube.kubeconfig("admin"),
  ];
  await using binnacle = await startBinnacle({ dir: world.mesh.path, args });
  await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta", node: sidecarNode });
  await envoy.settled({ seconds: 60 });
  const one = { file: ["file-1"], kube: ["kube-1"], zookeeper: ["zookeeper-1"], eureka: ["eureka-1"] };
  await tell("one workload of each", one);
  await world.register(2);
  const two = {
    file: ["file-2"],
    kube: ["kube-1", "kube-2"],
    zookeeper: ["zookeeper-1", "zookeeper-2"],
    eureka: ["eureka-1", "eureka-2"],
  };
  await tell("one more of each", two);
  await Promise.all([world.kube.stopServer("SIGKILL"), world.zookeeper.kill(0), world.eureka[Symbol.asyncDispose]()]);
  const sick = async () => (await states(binnacle.httpPort)) === "synced,stale,stale,stale";
  await eventually("three of four are stale", sick, { seconds: 90 });
  world.mesh.write("cart.yaml", serviceYaml({ name: "cart", port, endpoints: [{ address: "10.1.0.1", port }] }));
  await tell("while all registries are away", { ...two, file: ["file-1"] });
  process.stdout.write(`${JSON.stringify({ troubles: await envoy.troubles() } satisfies Ending)}\n`);
}

await main();
// The serving processes do not end by themselves.
process.exit(0);
