import type { JsonObject } from "@bufbuild/protobuf";
import { clusterReferrers, clusterType, endpointType, listenerType, routeType } from "../../xds/type-urls.ts";
import type { TestClientStream } from "../stream/stream-pair.ts";
import {
  type AdsServer,
  type Content,
  type Held,
  ModelStream,
  type ReadResource,
  type Response,
} from "./model-stream.ts";

/** Who the client says it is. */
export interface ModelNode {
  readonly nodeId: string;
  readonly metadata: JsonObject;
}

/** A gateway, which is all that a test needs when it does not care. */
export function gatewayIn(namespace: string): ModelNode {
  return { nodeId: `router~127.0.0.1~gw.${namespace}~${namespace}.svc.cluster.local`, metadata: {} };
}

/**
 * A client that behaves as Envoy does where it matters: it asks CDS, EDS, LDS, RDS, warms changed clusters until
 * their endpoints arrive after the CDS response, withholds the CDS acknowledgement until then, subscribes to what its
 * clusters and listeners name, and keeps everything over a lost connection. It records every broken promise.
 */
export class EnvoyModel {
  readonly mode: "sotw" | "delta";
  readonly #node: ModelNode;
  readonly #readResource: ReadResource;
  readonly held = new Map(
    [clusterType, endpointType, listenerType, routeType].map((type) => [type, new Map<string, Held>()]),
  );
  readonly broken: string[] = [];
  /** Decides whether a response is rejected; a rejected one is applied in part (delta) or not at all (SotW). */
  reject: (typeUrl: string) => boolean = () => false;
  #stream: ModelStream | undefined;
  readonly #warming = new Set<string>();
  #withheldAck: Response | undefined;
  #clustersRejected = false;
  /**
   * Types whose first answer on a stream may take away what is in use: in SotW a server cannot know what a client kept
   * from an earlier stream, and a client that comes back warming must get endpoints for every cluster it names.
   */
  readonly #mayTakeAway = new Set<string>();

  constructor(mode: "sotw" | "delta", readResource: ReadResource, node: ModelNode) {
    this.mode = mode;
    this.#readResource = readResource;
    this.#node = node;
  }

  get warming(): number {
    return this.#warming.size;
  }

  get stream(): TestClientStream | undefined {
    return this.#stream?.client;
  }

  names(typeUrl: string): readonly string[] {
    return [...this.#of(typeUrl).keys()].toSorted();
  }

  /** Clusters that have nobody in them, and those that something sends traffic to although they are not there. */
  get unserved(): ReadonlySet<string> {
    const referrers = clusterReferrers.flatMap((typeUrl) => [...this.#of(typeUrl).values()]);
    const named = referrers.flatMap(({ content }) => content.clusters ?? []);
    const empty = [...this.#of(endpointType)].filter(([, { content }]) => content.empty).map(([name]) => name);
    return new Set([...named.filter((name) => !this.#of(clusterType).has(name)), ...empty]);
  }

  /** Opens a stream and asks again for everything it already knows it needs. */
  connect(server: AdsServer): void {
    this.#stream = new ModelStream({ mode: this.mode, ...this.#node, readResource: this.#readResource, server });
    this.#withheldAck = undefined;
    if (this.mode === "sotw") this.#mayTakeAway.add(clusterType);
    if (this.mode === "sotw" || this.#warming.size > 0) this.#mayTakeAway.add(endpointType);
    // A client whose clusters still warm asks for their endpoints first, and for clusters only afterwards.
    if (this.#warming.size > 0) this.#subscribe(endpointType, this.#awaitingEndpoints());
    else this.#askAll();
  }

  #askAll(): void {
    this.#subscribe(clusterType, []);
    if (this.#awaitingEndpoints().size > 0) this.#subscribe(endpointType, this.#awaitingEndpoints());
    if (this.#of(listenerType).size > 0) this.#subscribe(listenerType, []);
    if (this.#routesNamed().size > 0) this.#subscribe(routeType, this.#routesNamed());
  }

  disconnect(): void {
    this.#stream?.client.disconnect();
    this.#stream = undefined;
  }

  /** Reads the next response, if there is one. */
  step(): boolean {
    const stream = this.#stream;
    const response = stream?.next();
    if (stream === undefined || response === undefined) return false;
    this.#take(response, stream);
    return true;
  }

  #take(response: Response, stream: ModelStream): void {
    const { typeUrl } = response;
    // Who comes back warming and rejects the very endpoints it waits for has locked itself out: nobody could help.
    const rejected = stream.hasAsked(clusterType) && this.reject(typeUrl);
    if (typeUrl === clusterType) this.#clustersRejected = rejected;
    if (!rejected || this.mode === "delta") this.#apply(response, rejected);
    this.#mayTakeAway.delete(typeUrl);
    if (rejected) return stream.answer(response, "rejected by the model");
    if (typeUrl === endpointType) for (const name of response.resources.keys()) this.#warming.delete(name);
    if (typeUrl === clusterType) this.#withheldAck = response;
    else stream.answer(response);
    // In SotW, Envoy asks once more for endpoints it already has when their cluster warms; in delta it says nothing.
    if (typeUrl === clusterType && this.#warming.size > 0) stream.repeat(endpointType, this.#awaitingEndpoints());
    this.#follow(stream);
  }

  #apply(response: Response, half: boolean): void {
    const held = this.#of(response.typeUrl);
    let index = 0;
    for (const [name, resource] of response.resources) {
      if (half && index++ % 2 === 0) continue;
      const before = held.get(name);
      const isNew = before?.version !== resource.version;
      if (response.typeUrl === clusterType && isNew && resource.content.awaitsEndpoints) this.#warming.add(name);
      held.set(name, resource);
      this.#checkReferrer(name, resource.content);
      const emptied = resource.content.empty === true && before?.content.empty !== true;
      if (response.typeUrl === endpointType && emptied) this.#checkEmptied(name);
    }
    if (half) return;
    const unlisted = held.keys().filter((name) => !response.resources.has(name));
    for (const name of response.removed === "unlisted" ? [...unlisted] : response.removed) {
      held.delete(name);
      if (response.typeUrl === clusterType && !this.#mayTakeAway.has(clusterType)) this.#checkRemoval(name);
    }
  }

  /** Whatever the new state lets it do: ask for more, acknowledge clusters that are warm now. */
  #follow(stream: ModelStream): void {
    const awaiting = this.#awaitingEndpoints();
    for (const name of this.#warming) if (!awaiting.has(name)) this.#warming.delete(name);
    if (this.#withheldAck !== undefined || stream.hasAsked(endpointType)) {
      this.#subscribe(endpointType, this.#awaitingEndpoints());
    }
    for (const name of this.#of(endpointType).keys()) {
      if (!awaiting.has(name)) this.#of(endpointType).delete(name);
    }
    if (this.#warming.size === 0) {
      if (this.#withheldAck !== undefined) stream.answer(this.#withheldAck);
      this.#withheldAck = undefined;
      if (!stream.hasAsked(clusterType)) this.#askAll();
      else if (!stream.hasAsked(listenerType)) this.#subscribe(listenerType, []);
    }
    if (stream.hasAsked(listenerType)) this.#subscribe(routeType, this.#routesNamed());
    for (const name of this.#of(routeType).keys()) {
      if (!this.#routesNamed().has(name)) this.#of(routeType).delete(name);
    }
  }

  #checkReferrer(name: string, content: Content): void {
    if (this.#clustersRejected) return;
    for (const cluster of content.clusters ?? []) {
      if (!this.#of(clusterType).has(cluster)) this.broken.push(`${name} came before cluster ${cluster}`);
    }
  }

  /** The routes and listeners that send traffic to a cluster. */
  #referrersOf(cluster: string): readonly string[] {
    const referrers = clusterReferrers.flatMap((typeUrl) => [...this.#of(typeUrl)]);
    return referrers.filter(([, { content }]) => content.clusters?.includes(cluster)).map(([name]) => name);
  }

  /** A cluster that is going away keeps its endpoints until nothing names it any more. */
  #checkEmptied(cluster: string): void {
    if (this.#mayTakeAway.has(endpointType) || !this.#of(clusterType).has(cluster)) return;
    for (const name of this.#referrersOf(cluster)) this.broken.push(`cluster ${cluster} was emptied under ${name}`);
  }

  #checkRemoval(cluster: string): void {
    for (const name of this.#referrersOf(cluster)) this.broken.push(`cluster ${cluster} went before ${name}`);
  }

  #awaitingEndpoints(): ReadonlySet<string> {
    const awaiting = this.#of(clusterType)
      .entries()
      .filter(([, { content }]) => content.awaitsEndpoints);
    return new Set(awaiting.map(([name]) => name));
  }

  #routesNamed(): ReadonlySet<string> {
    return new Set(
      this.#of(listenerType)
        .values()
        .flatMap((listener) => listener.content.routes ?? []),
    );
  }

  #of(typeUrl: string): Map<string, Held> {
    const held = this.held.get(typeUrl);
    if (held === undefined) throw new Error(`not a type of the model: ${typeUrl}`);
    return held;
  }

  #subscribe(typeUrl: string, wanted: Iterable<string>): void {
    this.#stream?.subscribe(typeUrl, wanted, this.#of(typeUrl));
  }
}

/** Until none of them has anything to read any more. Bounded: a protocol that never rests is a failure. */
export async function settleAll(envoys: readonly EnvoyModel[], pushed: () => Promise<void>): Promise<void> {
  for (let round = 0; round < 500; round++) {
    await pushed();
    if (!envoys.map((envoy) => envoy.step()).some(Boolean)) return;
  }
  throw new Error("the streams do not come to rest");
}
