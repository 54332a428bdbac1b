import { isDeepStrictEqual } from "node:util";
import { fleetMembers } from "../../../../src/cli/nodes/fleet-members.ts";
import { Fleet } from "../../../../src/fleet/fleet.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle } from "../../support/binnacle/server.ts";
import { MeshDir } from "../../support/mesh-dir.ts";
import { atScale } from "../../support/scale.ts";
import { holdingOf } from "../../support/xds/holdings.ts";
import type { Fault, FaultOutcome } from "../fault.ts";
import { constantObjects, generationObjects, yamlOf } from "../oracle/generations.ts";
import { Balancer } from "./balancer.ts";

const clients = atScale({ quick: 100, whole: 1_000 });
const drain = atScale({ quick: "1s", whole: "5s" });
const services = 100;
/** The bytes of a whole upgrade, as a share of the bytes that all clients needed at first. */
const maxShare = 0.01;

/** Two replicas of a control plane behind one address, and many delta clients. */
class UpgradedMesh implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly #mesh = this.#resources.use(
    new MeshDir({
      "constant.yaml": yamlOf(constantObjects(services)),
      "generation.yaml": yamlOf(generationObjects(1)),
    }),
  );
  readonly #replicas: BinnacleProcess[] = [];
  #balancer: Balancer | undefined;
  #fleet: Fleet | undefined;

  /** Resolves when every client has everything. */
  static async open(): Promise<UpgradedMesh> {
    const mesh = new UpgradedMesh();
    await mesh.#add();
    await mesh.#add();
    mesh.#balancer = mesh.#resources.use(await Balancer.start(mesh.#ports));
    mesh.#fleet = new Fleet({
      address: { host: "127.0.0.1", port: mesh.#balancer.port },
      members: deltaSidecars(),
      perSecond: undefined,
    });
    mesh.#resources.defer(() => mesh.fleet.stop());
    mesh.fleet.start();
    await mesh.synced();
    return mesh;
  }

  get fleet(): Fleet {
    if (this.#fleet === undefined) throw new Error("no client was started");
    return this.#fleet;
  }

  /** Replaces the oldest replica: the new one is ready before the old one ends its streams. */
  async replaceOldest(): Promise<void> {
    await this.#add();
    const old = this.#replicas.shift();
    this.#balancer?.use(this.#ports);
    old?.kill("SIGTERM");
    await old?.exited;
    await this.synced();
  }

  synced(): Promise<boolean> {
    const everybody = () => this.fleet.report.inSync === clients && this.fleet.report.connected === clients;
    return eventually("every client is in sync", everybody, { seconds: 60 });
  }

  /** Adds a service. Resolves when every client has it. */
  async edit(): Promise<void> {
    const [, added] = constantObjects(2);
    const name = "added";
    const spec = { ...added?.spec, hosts: [`${name}.shop.svc.cluster.local`] };
    this.#mesh.write("added.yaml", JSON.stringify({ ...added, metadata: { ...added?.metadata, name }, spec }));
    const cluster = `outbound|9080||${name}.shop.svc.cluster.local`;
    const everybody = () => this.fleet.proxies.every((proxy) => proxy.held("CDS").has(cluster));
    await eventually("every client has the new service", everybody, { seconds: 30 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  get #ports(): readonly number[] {
    return this.#replicas.map(({ xdsPort }) => xdsPort);
  }

  async #add(): Promise<void> {
    const args = ["--drain", drain, "--log-level", "warn"];
    this.#replicas.push(this.#resources.use(await startBinnacle({ dir: this.#mesh.path, args })));
  }
}

function deltaSidecars() {
  const shares = { routers: 0, grpc: 0, delta: 1, slow: 0, nack: 0, reconnect: 0 };
  const names = { domain: "cluster.local", clusterId: "Kubernetes" };
  const rest = { namespaces: ["shop"], routerLabels: {}, targets: [], reconnectEveryMs: 1000 };
  return fleetMembers({ proxies: clients, shares, ...names, ...rest });
}

/** The responses that all clients received so far. */
function received({ report }: Fleet) {
  const counts = Object.values(report.types);
  const total = (of: "bytes" | "resources" | "removed" | "needless") => counts.reduce((sum, type) => sum + type[of], 0);
  return { bytes: total("bytes"), resources: total("resources") + total("removed"), needless: total("needless") };
}

async function upgrade(): Promise<FaultOutcome> {
  await using mesh = await UpgradedMesh.open();
  const { fleet } = mesh;
  const before = { ...received(fleet), held: fleet.proxies.map(holdingOf) };
  const start = performance.now();
  await mesh.replaceOldest();
  await mesh.replaceOldest();
  const seconds = (performance.now() - start) / 1000;
  const after = received(fleet);
  const share = (after.bytes - before.bytes) / before.bytes;
  const lost = fleet.proxies.filter((proxy, index) => !isDeepStrictEqual(holdingOf(proxy), before.held[index])).length;
  await mesh.edit();
  const { broken, remarks } = fleet.report;
  const findings = [
    ...(share > maxShare ? ["the upgrade sent too many bytes"] : []),
    ...(after.resources > before.resources
      ? [`${after.resources - before.resources} resources were sent or removed`]
      : []),
    ...(broken + after.needless > 0 ? [`${broken} broken references, ${after.needless} needless responses`] : []),
    ...remarks,
  ];
  const figure = `${(100 * share).toFixed(2)} % of the ${before.bytes} bytes of a full sync`;
  return { recoverySeconds: seconds, lost, findings, figure };
}

export const rollingUpgrade: Fault = {
  name: "a rolling upgrade of two replicas with many delta clients",
  effect:
    "A stopping replica ends its streams one after the other. The clients move with the versions that they hold, and get at most 1 % of the bytes of a full sync.",
  bound: { seconds: 20 },
  run: upgrade,
};
