import { buildPipeline, type Pipeline, protocolDefaults } from "../../../src/app/pipeline.ts";
import { entryText, templateOf } from "../../../src/app/workloads/registered-entry.ts";
import { type Config, configKey } from "../../../src/config/config.ts";
import { kinds } from "../../../src/config/kinds.ts";
import { MemorySource } from "../../../src/galley/source/memory-source.ts";
import { assert } from "../../../src/lib/assert.ts";
import { ProtoWriter } from "../../../src/lib/proto-writer/proto-writer.ts";
import { capturePush, type MeshViews } from "../../../src/pilot/model/push-context.ts";
import { createGenerators } from "../../../src/pilot/xds/generators.ts";
import { collectionOf } from "../../../src/testing/config/configs-in.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import type { CatalogueClient } from "../../../src/testing/mesh/held-leases.ts";
import { RecordingObserver } from "../../../src/testing/recording/recording-observer.ts";
import { keySetText } from "./key-set-text.ts";

/** Everything that a mesh makes of its objects, by name: the bytes of resources, and entries of machines that join. */
export type Made = ReadonlyMap<string, Uint8Array>;

/** The whole pipeline from objects to the bytes of proxies, without streams. */
export class ObservedMesh {
  readonly #source = new MemorySource({ name: "effects", collections: kinds.map(({ collection }) => collection) });
  readonly #pipeline: Pipeline;
  readonly #clients: readonly CatalogueClient[];
  /** Shared by all looks, so that builders remember what did not change. */
  readonly #generators = createGenerators({ writer: new ProtoWriter() });
  #looks = 0;
  #last: { readonly views: MeshViews; readonly made: Made } | undefined;

  private constructor(clients: readonly CatalogueClient[]) {
    this.#clients = clients;
    this.#pipeline = buildPipeline({
      sources: [this.#source],
      settings: { domain: "cluster.local", clusterId: "Kubernetes" },
      clock: new FakeClock(),
      turn: () => Promise.resolve(),
      debounce: { quietMs: 10, maxWaitMs: 100 },
      observer: new RecordingObserver(),
      protocol: protocolDefaults,
      onUpdate: () => {},
      onSnapshotError: (error) => {
        throw error;
      },
    });
  }

  static async with(objects: readonly Config[], clients: readonly CatalogueClient[]): Promise<ObservedMesh> {
    const mesh = new ObservedMesh(clients);
    for (const object of objects) mesh.set(object);
    mesh.#pipeline.snapshotter.start();
    await mesh.#pipeline.processor.start();
    return mesh;
  }

  set(config: Config): void {
    this.#source.set(collectionOf(config), config);
  }

  delete(config: Config): void {
    this.#source.delete(collectionOf(config), configKey(config));
  }

  /** Fetches all key sets: each place has other keys. */
  #fetchKeySets(): void {
    const { fetchedKeySets, policiesByKeySet } = this.#pipeline.environment;
    fetchedKeySets.replaceAll(Array.from(policiesByKeySet.entries(), ([key]) => [key, keySetOf(key)] as const));
  }

  /** Nothing that is made of the same views can differ. Where a derivation fails, nothing that is seen is proof. */
  look(): Made {
    const { galley, pilot } = this.#pipeline;
    this.#fetchKeySets();
    assert(galley.problems.length + pilot.problems.length === 0, "every derivation succeeds");
    const views = this.#pipeline.environment.views();
    const made = this.#last !== undefined && isSameViews(this.#last.views, views) ? this.#last.made : this.#make(views);
    this.#last = { views, made };
    return new Map([...made, ...this.#joined()]);
  }

  #make(views: MeshViews): Made {
    this.#looks += 1;
    const push = capturePush(views, this.#looks);
    const made = new Map<string, Uint8Array>();
    for (const [index, { proxy, asked = {} }] of this.#clients.entries()) {
      for (const { shortName, families } of this.#generators) {
        for (const family of families) {
          for (const inputs of family.parts(proxy, push, asked[shortName] ?? "all")) {
            for (const { name, entry } of family.generate({ inputs, push }).resources)
              made.set(`${index} ${shortName} ${name}`, entry);
          }
        }
      }
    }
    return made;
  }

  /** The WorkloadEntries of a machine that would join each WorkloadGroup. */
  *#joined(): Generator<readonly [string, Uint8Array]> {
    const groups = this.#pipeline.processor.outputs.get("istio/networking/v1alpha3/workloadgroups")?.values() ?? [];
    for (const group of groups) {
      const template = templateOf(group);
      const health = template.probe === undefined ? "healthy" : "unhealthy";
      const text = entryText({ ...machine, group: group.name, health }, template);
      yield [`joined ${group.name}`, Buffer.from(text)];
    }
  }
}

/** Envoys take only key sets with a usable key. */
function keySetOf(place: string) {
  return { text: keySetText(place) };
}

const machine = {
  namespace: "shop",
  name: "machine",
  address: "10.9.9.9",
  labels: {},
  network: "",
  locality: "",
  nodeId: "sidecar~10.9.9.9~machine.shop~shop.svc.cluster.local",
} as const;

function isSameViews(a: MeshViews, b: MeshViews): boolean {
  const other = new Map<string, unknown>(Object.entries(b));
  return Object.entries(a).every(([name, view]) => view === other.get(name));
}

/** Whether a mesh made the same twice, byte for byte. */
export function isSame(a: Made, b: Made): boolean {
  if (a.size !== b.size) return false;
  for (const [name, bytes] of a) {
    const other = b.get(name);
    if (other === undefined || (other !== bytes && Buffer.compare(bytes, other) !== 0)) return false;
  }
  return true;
}
