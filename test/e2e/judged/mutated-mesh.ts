import type { DescMessage } from "@bufbuild/protobuf";
import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { MeshNetworksSchema } from "#gen/istio/mesh/v1alpha1/network_pb.js";
import { configKey } from "../../../src/config/config.ts";
import { isRefused } from "../../../src/config/finding.ts";
import { kindOf, kinds } from "../../../src/config/kinds.ts";
import { parseMeshConfig, parseMeshNetworks } from "../../../src/config/parse/mesh-files.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import { assert } from "../../../src/lib/assert.ts";
import type { Proxy } from "../../../src/pilot/model/proxy/proxy.ts";
import type { Random } from "../../../src/testing/random/random.ts";
import { generateFor, LoadedMesh, proxyFrom, type ScenarioSource } from "../../golden/generate.ts";
import { fixtures, meshFixture, networksFixture } from "./fixtures.ts";
import { Donors, Mutator, type ObjectPart } from "./mutate-object.ts";

/** Where the certificates of a proxy are: files for a real one, the agent beside it for others. */
export type CertificateMetadata = Readonly<Record<`TLS_${string}`, string>> | undefined;

/** A router and a sidecar that the fixtures are for. */
export function nodesWith(certificates: CertificateMetadata) {
  const source = certificates === undefined ? { SDS_MODE: "agent" } : { SDS_MODE: "files", ...certificates };
  const metadata = { CLUSTER_ID: "Kubernetes", ISTIO_VERSION: "1.29.6", PROXY_CONFIG: {}, ...source };
  return {
    router: {
      id: "router~127.0.0.1~gw-0.shop~shop.svc.cluster.local",
      metadata: { ...metadata, NAMESPACE: "shop", INSTANCE_IPS: "127.0.0.1", LABELS: { app: "gw" } },
    },
    sidecar: {
      id: "sidecar~127.0.0.9~client-0.default~default.svc.cluster.local",
      metadata: {
        ...metadata,
        NAMESPACE: "default",
        INSTANCE_IPS: "127.0.0.9",
        INTERCEPTION_MODE: "REDIRECT",
        LABELS: { app: "client" },
      },
    },
  };
}

/** Files without metadata, as `parse` reads them and a mesh takes them. */
const settings = [
  {
    name: "mesh",
    desc: MeshConfigSchema,
    value: meshFixture as ObjectPart["value"],
    isRight: (text: string) => parseMeshConfig({ file: "mesh.yaml", text, source: "judged" }).config !== undefined,
    load: (mesh: LoadedMesh, source: ScenarioSource) => mesh.loadMeshConfig(source),
  },
  {
    name: "networks",
    desc: MeshNetworksSchema,
    value: networksFixture as ObjectPart["value"],
    isRight: (text: string) =>
      parseMeshNetworks({ file: "networks.yaml", text, source: "judged" }).config !== undefined,
    load: (mesh: LoadedMesh, source: ScenarioSource) => mesh.loadMeshNetworks(source),
  },
];

/** The first is before its original in every order, the last behind it. */
const otherNames = ["0", "a.b", "n".repeat(253), "zz"];

const donors = new Donors([
  ...settings,
  ...fixtures.map(({ apiVersion, kind, spec }) => ({
    desc: schemaOf(apiVersion, kind),
    value: spec as ObjectPart["value"],
  })),
]);

function schemaOf(apiVersion: string, kind: string): DescMessage {
  const found = kindOf(apiVersion, kind);
  assert(found !== undefined, `${kind} is a kind`);
  return found.schema;
}

/** An object that is mutated and passes validation. */
export interface MeshMutation {
  readonly text: string;
  readonly apply: () => void;
  readonly restore: () => void;
}

/** The fixtures, with some of them mutated for a while. */
export class MutatedMesh {
  readonly #mesh = new LoadedMesh();
  readonly #random: Random;
  readonly #proxies: readonly { readonly name: string; readonly proxy: Proxy }[];
  readonly #mutator: Mutator;
  #tried = 0;
  #accepted = 0;

  constructor(random: Random, certificates?: CertificateMetadata) {
    this.#random = random;
    this.#proxies = Object.entries(nodesWith(certificates)).map(([name, node]) => ({ name, proxy: proxyFrom(node) }));
    this.#mutator = new Mutator(random, donors);
    this.#mesh.graph.batch(() => {
      this.#mesh.load({
        file: "fixtures.yaml",
        text: fixtures.map((object) => JSON.stringify(object)).join("\n---\n"),
      });
      for (const { load, value } of settings) load(this.#mesh, { file: "settings.yaml", text: JSON.stringify(value) });
    });
  }

  /** Mutations that were made. */
  get tried(): number {
    return this.#tried;
  }

  /** Mutations that passed validation. */
  get accepted(): number {
    return this.#accepted;
  }

  /** As many mutations as given, of different objects. */
  draw(count: number): readonly MeshMutation[] {
    const originals = [...fixtures.map((object) => ({ object })), ...settings.map((file) => ({ file }))];
    const drawn: MeshMutation[] = [];
    while (drawn.length < count) {
      const at = this.#random.below(originals.length);
      const original = originals[at];
      assert(original !== undefined, "there are more objects than are mutated at once");
      this.#tried += 1;
      const mutation = "file" in original ? this.#mutatedFile(original.file) : this.#mutatedObject(original.object);
      if (mutation === undefined) continue;
      this.#accepted += 1;
      originals.splice(at, 1);
      drawn.push(mutation);
    }
    return drawn;
  }

  /** Calls `act` while the mesh has these mutations. */
  async during<T>(mutations: readonly MeshMutation[], act: () => T | Promise<T>): Promise<T> {
    this.#mesh.graph.batch(() => mutations.forEach(({ apply }) => apply()));
    try {
      return await act();
    } finally {
      this.#mesh.graph.batch(() => mutations.forEach(({ restore }) => restore()));
    }
  }

  /** Everything that each proxy gets. */
  generate() {
    return this.#proxies.map(({ name, proxy }) => ({ name, generated: generateFor(proxy, this.#mesh.environment) }));
  }

  #mutatedFile({ name, desc, value, isRight, load }: (typeof settings)[number]): MeshMutation | undefined {
    const text = JSON.stringify(this.#mutator.mutate({ desc, value }));
    if (!isRight(text)) return undefined;
    const loaded = (json: string) => load(this.#mesh, { file: `${name}.yaml`, text: json });
    return { text, apply: () => loaded(text), restore: () => loaded(JSON.stringify(value)) };
  }

  #mutatedObject(original: (typeof fixtures)[number]): MeshMutation | undefined {
    const kind = kindOf(original.apiVersion, original.kind);
    assert(kind !== undefined, `${original.kind} is a kind`);
    const spec = this.#mutator.mutate({ desc: kind.schema, value: original.spec as ObjectPart["value"] });
    // Beside its original, a mutation with another name contradicts it.
    const name = this.#random.once(8) ? this.#random.pick(otherNames) : original.metadata.name;
    const text = JSON.stringify({ ...original, metadata: { ...original.metadata, name }, spec });
    const parsed = parseConfigs({ file: "a.yaml", text, source: "judged", kinds, defaultNamespace: "shop" });
    const [config] = parsed.configs;
    if (config === undefined || isRefused(parsed.issues)) return undefined;
    const key = configKey(config);
    const input = this.#mesh.input(kind.kind);
    const before = input.get(key);
    const restore = () => (before === undefined ? input.delete(key) : input.set(key, before));
    return { text, apply: () => input.set(key, config), restore };
  }
}
