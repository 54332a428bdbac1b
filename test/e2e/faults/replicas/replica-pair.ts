import { clusterType, endpointType, listenerType, routeType, virtualHostType } from "../../../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "../../support/binnacle/server.ts";
import { type EnvoyNode, gatewayNode, sidecarNode } from "../../support/envoy/bootstrap.ts";
import type { MeshDir } from "../../support/mesh-dir.ts";
import { SotwClient } from "../../support/xds/ads-client.ts";
import { DeltaHolder } from "../../support/xds/delta-holder.ts";
import type { Origin } from "../sources/origin.ts";

/** A sidecar whose Envoy takes virtual hosts as resources. */
const newSidecar: EnvoyNode = {
  ...sidecarNode,
  id: "sidecar~127.0.0.9~client-1.default~default.svc.cluster.local",
  envoyVersion: { majorNumber: 1, minorNumber: 40 },
};
const nodes = [sidecarNode, newSidecar, gatewayNode];

/** Two servers that read the same origin. */
export class ReplicaPair implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly servers: readonly [BinnacleProcess, BinnacleProcess];

  private constructor(first: BinnacleProcess, second: BinnacleProcess) {
    this.servers = [this.#resources.use(first), this.#resources.use(second)];
  }

  /** The directory is for objects beside a registry. */
  static async start({ source, args }: Origin, { path: dir }: MeshDir): Promise<ReplicaPair> {
    const serve = () => startBinnacle({ dir, args: ["--source", source, ...args, "--log-level", "warn"] });
    return new ReplicaPair(await serve(), await serve());
  }

  /** The differences between the answers of both servers to the same proxies, in bytes and versions. */
  async differences(): Promise<readonly string[]> {
    const [first, second] = await Promise.all(this.servers.map(({ xdsPort }) => answersOf(xdsPort)));
    return [...(first ?? [])].flatMap(([question, answer]) =>
      second?.get(question) === answer ? [] : [`the replicas answer differently to ${question}`],
    );
  }

  /** The resources that each server sends to delta proxies that bring everything from the other one. */
  async sentToMovedProxies(): Promise<readonly string[]> {
    const [first, second] = this.servers;
    const sent: string[] = [];
    for (const node of nodes) {
      using before = await settled(first.xdsPort, node);
      for (const { xdsPort } of [second, first]) {
        using moved = new DeltaHolder(xdsPort, node, before.held);
        // Every type is answered, without resources.
        for (const type of before.held.keys()) await moved.next(type);
        sent.push(...moved.sent.map((response) => `${node.id} moved, and was sent ${response}`));
      }
    }
    return sent;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

/** The answers to sidecars and to a gateway, in both protocols, by type. */
async function answersOf(port: number): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const node of nodes) {
    using delta = await settled(port, node);
    for (const [type, held] of delta.held)
      answers.set(
        `delta ${type} of ${node.id}`,
        JSON.stringify(Array.from(held, (resource) => JSON.stringify(resource)).toSorted()),
      );
    using sotw = new SotwClient(port, node);
    for (const [type, held] of delta.held) {
      // Virtual hosts are resources on delta streams only.
      if (type === virtualHostType) continue;
      const names = isWildcard(type) ? [] : [...held.keys()];
      if (!isWildcard(type) && names.length === 0) continue;
      sotw.subscribe(type, names);
      const response = await sotw.next(type);
      sotw.ack(response);
      const bytes = response.resources.map(({ value }) => Buffer.from(value).toString("base64")).toSorted();
      answers.set(`sotw ${type} of ${node.id}`, JSON.stringify([response.versionInfo, bytes]));
    }
  }
  return answers;
}

/** A delta proxy that has received everything. */
async function settled(port: number, node: EnvoyNode): Promise<DeltaHolder> {
  const proxy = new DeltaHolder(port, node);
  proxy.ask(clusterType);
  const clusters = await proxy.next(clusterType);
  proxy.ask(
    endpointType,
    clusters.filter((name) => name.startsWith("outbound|")),
  );
  await proxy.next(endpointType);
  proxy.ask(listenerType);
  await proxy.next(listenerType);
  proxy.ask(routeType, ["9080", "http.8080"]);
  await proxy.next(routeType);
  if (node.envoyVersion !== undefined) {
    proxy.ask(virtualHostType);
    await proxy.next(virtualHostType);
  }
  return proxy;
}

function isWildcard(type: string): boolean {
  return type === clusterType || type === listenerType;
}
