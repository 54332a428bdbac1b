import { setImmediate as nextTurn } from "node:timers/promises";
import { EnvoyModel, type ModelNode } from "../../../src/testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../../../src/testing/envoy/envoy-resources.ts";
import type { ReadResource } from "../../../src/testing/envoy/model-stream.ts";
import { ScenarioMesh, type ScenarioOptions } from "../../../src/testing/mesh/scenario-mesh.ts";

/** Every resource that contains this word is refused. */
const poison = "poison";

/** Reads resources. Those that contain one of these words are refused. */
function readRefusing(words: () => Iterable<string>): ReadResource {
  return (typeUrl, value) => {
    const { name, content } = readEnvoyResource(typeUrl, value);
    const bytes = Buffer.from(value);
    const isPoisoned = [...words()].some((word) => bytes.includes(word));
    return { name, content: { ...content, ...(isPoisoned && { poison: "inapplicable" as const }) } };
  };
}

export const readPoisoned = readRefusing(() => [poison]);

const gatewayNode: ModelNode = {
  nodeId: "router~10.0.0.1~gw-0.shop~shop.svc.cluster.local",
  metadata: { LABELS: { app: "gw" }, ISTIO_VERSION: "1.30.0" },
};

/** A node of the same class, or of another version. */
export function gateway(number: number, version = "1.30.0"): ModelNode {
  return {
    nodeId: gatewayNode.nodeId.replace("10.0.0.1~gw-0", `10.0.0.${number + 1}~gw-${number}`),
    metadata: { ...gatewayNode.metadata, ISTIO_VERSION: version },
  };
}

export function object(kind: string, name: string, spec: object): string {
  const metadata = { namespace: "shop", name };
  return JSON.stringify({ apiVersion: "networking.istio.io/v1", kind, metadata, spec });
}

export const theGateway = object("Gateway", "gw", {
  selector: { app: "gw" },
  servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
});

export function service(name: string): string {
  return object("ServiceEntry", name, {
    hosts: [`${name}.internal`],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints: [{ address: "10.0.9.9" }],
  });
}

/** A route with a header. The value `poison` makes proxies refuse it. */
export function route(index: number, value: string): string {
  return routeTo(index, "backend", value);
}

/** A route with a header to one backend. */
export function routeTo(index: number, backend: string, value: string): string {
  return object("VirtualService", `vs-${index}`, {
    hosts: [`host-${index}.example.com`],
    gateways: ["gw"],
    http: [
      {
        headers: { request: { set: { "x-version": value } } },
        route: [{ destination: { host: `${backend}.internal` } }],
      },
    ],
  });
}

/** A server, and proxies that refuse poisoned resources. */
export class PoisonedMesh {
  readonly mesh: ScenarioMesh;
  readonly #envoys = new Set<EnvoyModel>();
  readonly #refused = new Map<EnvoyModel, Set<string>>();

  private constructor(mesh: ScenarioMesh) {
    this.mesh = mesh;
  }

  static start(...objects: readonly string[]): Promise<PoisonedMesh> {
    return PoisonedMesh.startWith({}, objects);
  }

  static async startWith(options: ScenarioOptions, objects: readonly string[]): Promise<PoisonedMesh> {
    return new PoisonedMesh(await ScenarioMesh.serving(objects.join("\n---\n"), { quarantine: true, ...options }));
  }

  connect(mode: "sotw" | "delta", node: ModelNode): EnvoyModel {
    const words = new Set([poison]);
    const envoy = new EnvoyModel(
      mode,
      readRefusing(() => words),
      node,
    );
    this.#refused.set(envoy, words);
    return this.add(envoy);
  }

  /** From now on these proxies refuse another word, too. */
  spoil(word: string, envoys: readonly EnvoyModel[]): void {
    for (const envoy of envoys) this.#refused.get(envoy)?.add(word);
  }

  add(envoy: EnvoyModel): EnvoyModel {
    envoy.connect(this.mesh.discovery);
    this.#envoys.add(envoy);
    return envoy;
  }

  /** Applies objects, and lets everything come to rest. */
  async apply(...objects: readonly string[]): Promise<void> {
    this.mesh.apply(objects.join("\n---\n"));
    await this.settle();
  }

  /** Until nothing is sent for some turns: a search continues between two answers of its proxy. */
  async settle(): Promise<void> {
    let quiet = 0;
    for (let round = 0; round < 5_000 && quiet < 40; round++) {
      await this.mesh.pushed();
      await nextTurn();
      quiet = [...this.#envoys].map((envoy) => envoy.step()).some(Boolean) ? 0 : quiet + 1;
    }
    if (quiet === 0) throw new Error("the streams do not come to rest");
  }

  /** The objects in quarantine, with the number of classes that refuse them. */
  get refused(): readonly string[] {
    const { scopes = [] } = this.mesh.discovery.quarantine ?? {};
    return scopes.flatMap(({ refusals }) => [...refusals.values()].map(({ id, instead }) => `${id}: ${instead.type}`));
  }
}

/** Whether a proxy has a resource with this text. */
export function has(envoy: EnvoyModel, text: string): boolean {
  const all = [...envoy.held.values()].flatMap((held) => [...held.values()]);
  return all.some(({ content }) => Buffer.from(content.text, "base64").includes(text));
}

/** The resources of a proxy, without versions, which depend only on content. */
export function contentOf(envoy: EnvoyModel): readonly string[] {
  const all = [...envoy.held].flatMap(([type, held]) =>
    Array.from(held, ([name, { version, content }]) => `${type} ${name} ${version || content.text}`),
  );
  return all.toSorted();
}

/** The resources that a fresh server with these objects gives to a fresh proxy. */
export async function freshContent(
  mode: "sotw" | "delta",
  node: ModelNode,
  objects: readonly string[],
  read = readPoisoned,
): Promise<readonly string[]> {
  const fresh = await PoisonedMesh.start(...objects);
  const envoy = fresh.add(new EnvoyModel(mode, read, node));
  await fresh.settle();
  return contentOf(envoy);
}
