import { setInterval } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fleetMembers } from "../../src/cli/nodes/fleet-members.ts";
import { kinds } from "../../src/config/kinds.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { type Edit, meshEdits } from "../../src/testing/mesh/mesh-edits.ts";
import { seed } from "../../src/testing/random/seed.ts";
import { SoakedServer } from "./support/binnacle/soaked-server.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { atScale } from "./support/scale.ts";
import { differences, holdingOf, truthOf } from "./support/xds/holdings.ts";
import { objectYaml } from "./support/yaml.ts";

/**
 * The number of proxies, of rounds, and of batches of edits per round, ten per second. The `tolerance` limits the
 * growth of the heap after the first round. A few rounds still fill caches, so they show only a gross leak.
 */
const { proxies, rounds, batches, tolerance } = atScale({
  quick: { proxies: 100, rounds: 5, batches: 100, tolerance: 1.25 },
  whole: { proxies: 500, rounds: 60, batches: 280, tolerance: 1.1 },
});
const editEveryMs = 100;

const members = fleetMembers({
  proxies,
  shares: { routers: 0.1, grpc: 0.1, delta: 0.5, slow: 0.05, nack: 0.05, reconnect: 0.2 },
  namespaces: ["a", "b"],
  routerLabels: { app: "edge" },
  targets: ["one.a.svc.cluster.local:80"],
  reconnectEveryMs: 2000,
  domain: "cluster.local",
  clusterId: "Kubernetes",
});

/** The edited objects, one file each. The end of a round reverts its edits. */
class EditedMesh implements Disposable {
  readonly dir: MeshDir;
  readonly #present = new Set<string>();

  constructor() {
    const service = {
      hosts: ["one.a.svc.cluster.local"],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "STATIC",
      endpoints: [{ address: "10.0.0.1" }],
    };
    this.dir = new MeshDir({ "base.yaml": objectYaml("ServiceEntry", "base", service, "a") });
  }

  apply(batch: readonly Edit[]): void {
    for (const edit of batch) {
      const file = `${edit.kind}-${edit.namespace}-${edit.name}.yaml`;
      if (edit.spec === undefined) this.#remove(file);
      else this.#write(file, editYaml(edit));
    }
  }

  /** Makes an irrelevant edit: a server releases unused memory with the next push. */
  touch(): void {
    this.#write("touched.yaml", objectYaml("Sidecar", "touched", { egress: [{ hosts: ["./*"] }] }, "a"));
  }

  restore(): void {
    for (const file of this.#present) this.#remove(file);
  }

  [Symbol.dispose](): void {
    this.dir[Symbol.dispose]();
  }

  /** Keeps only valid objects: a rejected one keeps its last good version, which a fresh server cannot know. */
  #write(file: string, text: string): void {
    const { configs } = parseConfigs({ text, file, source: "soak", kinds, defaultNamespace: "default" });
    if (configs.length === 0) return;
    this.dir.write(file, text);
    this.#present.add(file);
  }

  #remove(file: string): void {
    if (this.#present.delete(file)) this.dir.remove(file);
  }
}

function editYaml({ apiVersion, kind, name, namespace, spec }: Edit): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec });
}

/** Makes random edits at a steady pace. */
async function editFor(mesh: EditedMesh, round: number): Promise<void> {
  const edits = fc
    .sample(meshEdits, { seed: seed + round, numRuns: batches })
    .flat()
    .slice(0, batches);
  for await (const batch of setInterval(editEveryMs, edits)) {
    const next = batch.shift();
    if (next === undefined) return;
    mesh.apply(next);
  }
}

/** Waits until all proxies that do not NACK hold the resources of a fresh server. */
async function untilTrue(mesh: EditedMesh, fleet: Fleet): Promise<void> {
  const survivors = members.flatMap((member, index) => {
    const proxy = fleet.proxies[index];
    return member.rejects || proxy === undefined ? [] : [{ member, proxy }];
  });
  const truth = await truthOf(
    mesh.dir.path,
    survivors.map(({ member }) => member),
  );
  const wrong = () =>
    survivors.flatMap(({ member, proxy }, index) =>
      differences(holdingOf(proxy), truth[index] ?? {}).map((each) => `${member.node.id}, ${member.mode}: ${each}`),
    );
  await eventually(
    "every survivor holds the truth",
    () => {
      const [first, ...rest] = wrong();
      if (first === undefined) return true;
      throw new Error(`${first}, and ${rest.length} more`);
    },
    { seconds: 60 },
  );
}

async function untilInSync(fleet: Fleet): Promise<void> {
  const inSync = () => {
    const { late, lost } = fleet.report;
    if (late === 0) return true;
    const names = members
      .filter((_, index) => fleet.proxies[index]?.synced !== true)
      .map(({ node, mode }) => `${node.id} ${mode}`);
    throw new Error(`${late} are late, among ${names.join(", ")}; connections ended: ${JSON.stringify(lost)}`);
  };
  await eventually("everybody is in sync", inSync, { seconds: 60 });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

test("a server leaks nothing through edits, disconnects and reconnects", { timeout: 3_600_000 }, async () => {
  using mesh = new EditedMesh();
  await using server = await SoakedServer.start(mesh.dir.path);
  const base = await server.footprint();
  const fleet = new Fleet({ address: { host: "127.0.0.1", port: server.port }, members, perSecond: undefined });
  fleet.start();
  const heaps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await editFor(mesh, round);
    if (round === rounds - 1) await untilTrue(mesh, fleet);
    mesh.restore();
    await untilInSync(fleet);
    heaps.push((await server.footprint()).heapMb);
  }
  const { report } = fleet;
  fleet.stop();
  const gone = async () => (await server.footprint()).connections === 0;
  await eventually("everybody is gone", gone, { seconds: 30 });
  mesh.touch();
  const unused = async () => (await server.footprint()).parts === base.parts;
  await eventually("nothing is kept for them", unused, { seconds: 30 });
  // The last edit still has timers of its own for a while: of the debounce and of the analysis that follows it.
  const rested = async () => (await server.footprint()).timers <= base.timers;
  await eventually("no timer is left over", rested, { seconds: 30 });
  const left = await server.footprint();

  const warm = heaps.slice(1);
  process.stderr.write(`heap in MB after each round: ${heaps.map((mb) => mb.toFixed(1)).join(" ")}\n`);
  const third = Math.ceil(warm.length / 3);
  expect(median(warm.slice(-third))).toBeLessThan(median(warm.slice(0, third)) * tolerance);
  expect([left.connections, left.sockets]).toEqual([base.connections, base.sockets]);
  expect(report.lost).toEqual({});
  expect(server.log()).not.toMatch(/"level":"(?:error|fatal)"/);
});
