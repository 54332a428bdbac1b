import type { ModelNode } from "../../../src/testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../../../src/testing/envoy/envoy-resources.ts";
import {
  type AdsServer,
  type HeldResource,
  type ModelResponse,
  ModelStream,
} from "../../../src/testing/envoy/model-stream.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../../src/xds/type-urls.ts";

/** A node, and what it asks for first: names by type URL, or no names for all. */
export interface NamesNode extends ModelNode {
  readonly mode: "sotw" | "delta";
  readonly asks: ReadonlyMap<string, readonly string[]>;
  /** Whether it asks for everything that its resources refer to, as gRPC does. */
  readonly follows: boolean;
}

/** A client that is no Envoy: it asks for few types or names, and acknowledges at once. */
export class NamesClient {
  readonly mode: "sotw" | "delta";
  readonly held = new Map<string, Map<string, HeldResource>>();
  readonly #node: NamesNode;
  readonly #stream: ModelStream;

  constructor(node: NamesNode, server: AdsServer) {
    this.mode = node.mode;
    this.#node = node;
    this.#stream = new ModelStream({ ...node, readResource: readEnvoyResource, server });
    for (const [typeUrl, names] of node.asks) this.#stream.subscribe(typeUrl, names, new Map());
  }

  get stream() {
    return this.#stream.client;
  }

  /** Reads the next response, if there is one. */
  step(): boolean {
    const response = this.#stream.next();
    if (response === undefined) return false;
    this.#apply(response);
    this.#stream.answer(response);
    if (this.#node.follows) this.#follow();
    return true;
  }

  #apply({ typeUrl, resources, removed }: ModelResponse): void {
    const held = this.#of(typeUrl);
    for (const [name, resource] of resources) held.set(name, resource);
    const gone = removed === "unlisted" ? [...held.keys()].filter((name) => !resources.has(name)) : removed;
    for (const name of gone) held.delete(name);
  }

  #follow(): void {
    this.#want(routeType, this.#named(listenerType, "routes"));
    const clusters = [...this.#named(listenerType, "clusters"), ...this.#named(routeType, "clusters")];
    this.#want(clusterType, new Set(clusters));
    const awaiting = [...this.#of(clusterType)].filter(([, { content }]) => content.awaitsEndpoints);
    this.#want(endpointType, new Set(awaiting.map(([name]) => name)));
  }

  #want(typeUrl: string, names: ReadonlySet<string>): void {
    // A first request without names would be one for all.
    if (names.size === 0 && !this.#stream.hasAsked(typeUrl)) return;
    this.#stream.subscribe(typeUrl, names, new Map());
    for (const name of this.#of(typeUrl).keys()) if (!names.has(name)) this.#of(typeUrl).delete(name);
  }

  #named(typeUrl: string, field: "routes" | "clusters"): ReadonlySet<string> {
    return new Set([...this.#of(typeUrl).values()].flatMap(({ content }) => content[field] ?? []));
  }

  #of(typeUrl: string): Map<string, HeldResource> {
    const held = this.held.get(typeUrl) ?? new Map<string, HeldResource>();
    this.held.set(typeUrl, held);
    return held;
  }
}
