import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { GrpcStream } from "../lib/grpc-stream.ts";
import { clusterType, endpointType, listenerType, routeType } from "../pilot/xds/warming.ts";
import { streamPair, type TestClientStream } from "./stream-pair.ts";

/** What the model looks at in a resource. */
export interface Content {
  /** True for a cluster that takes its endpoints over EDS. */
  readonly awaitsEndpoints?: boolean;
  /** The route configurations a listener takes over RDS. */
  readonly routes?: readonly string[];
  /** The clusters a route configuration sends traffic to. */
  readonly clusters?: readonly string[];
  /** True for a load assignment without endpoints. */
  readonly empty?: boolean;
  /** Everything else a test may want to compare. */
  readonly text: string;
}

/** Opens the value of a resource's Any. */
export type ReadResource = (typeUrl: string, value: Uint8Array) => { readonly name: string; readonly content: Content };

/** One response, whichever protocol it came by. */
interface Response {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly version: string;
  readonly resources: ReadonlyMap<string, { readonly version: string; readonly content: Content }>;
  /** Names taken away; for a SotW type that lists everything, what it no longer lists. */
  readonly removed: readonly string[];
}

interface Held {
  readonly version: string;
  readonly content: Content;
}

/**
 * A client that behaves as Envoy does where it matters: it asks CDS, EDS, LDS, RDS, warms changed clusters until
 * their endpoints arrive after the CDS response, withholds the CDS acknowledgement until then, subscribes to what its
 * clusters and listeners name, and keeps everything over a lost connection. It records every broken promise.
 */
export class EnvoyModel {
  readonly mode: "sotw" | "delta";
  readonly namespace: string;
  readonly #readResource: ReadResource;
  readonly held = new Map(
    [clusterType, endpointType, listenerType, routeType].map((type) => [type, new Map<string, Held>()]),
  );
  readonly broken: string[] = [];
  /** Decides whether a response is rejected; a rejected one is applied in part (delta) or not at all (SotW). */
  reject: (typeUrl: string) => boolean = () => false;
  responses = 0;
  bytes = 0;
  #stream: TestClientStream | undefined;
  #read = 0;
  #asked = new Map<string, ReadonlySet<string>>();
  #nonces = new Map<string, string>();
  readonly #warming = new Set<string>();
  #withheldAck: Response | undefined;
  #introduced = false;
  #clustersRejected = false;
  /**
   * Types whose first answer on a stream may take away what is in use: in SotW a server cannot know what a client kept
   * from an earlier stream, and a client that comes back warming must get endpoints for every cluster it names.
   */
  readonly #mayTakeAway = new Set<string>();

  constructor(mode: "sotw" | "delta", readResource: ReadResource, namespace: string) {
    this.mode = mode;
    this.#readResource = readResource;
    this.namespace = namespace;
  }

  get warming(): number {
    return this.#warming.size;
  }

  get stream(): TestClientStream | undefined {
    return this.#stream;
  }

  names(typeUrl: string): readonly string[] {
    return [...this.#of(typeUrl).keys()].toSorted();
  }

  /** Opens a stream and asks again for everything it already knows it needs. */
  connect(serve: (stream: GrpcStream) => void): void {
    const { server, client } = streamPair();
    this.#stream = client;
    this.#read = 0;
    this.#asked = new Map();
    this.#nonces = new Map();
    this.#withheldAck = undefined;
    this.#introduced = false;
    if (this.mode === "sotw") this.#mayTakeAway.add(clusterType);
    if (this.mode === "sotw" || this.#warming.size > 0) this.#mayTakeAway.add(endpointType);
    serve(server);
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
    this.#stream?.disconnect();
    this.#stream = undefined;
  }

  /** Reads the next response, if there is one. */
  step(): boolean {
    const bytes = this.#stream?.received[this.#read];
    if (bytes === undefined) return false;
    this.#read++;
    this.responses++;
    this.bytes += bytes.length;
    this.#take(this.mode === "sotw" ? this.#readSotw(bytes) : this.#readDelta(bytes));
    return true;
  }

  #take(response: Response): void {
    const { typeUrl } = response;
    this.#nonces.set(typeUrl, response.nonce);
    // Who comes back warming and rejects the very endpoints it waits for has locked itself out: nobody could help.
    const rejected = this.#asked.has(clusterType) && this.reject(typeUrl);
    if (typeUrl === clusterType) this.#clustersRejected = rejected;
    if (!rejected || this.mode === "delta") this.#apply(response, rejected);
    this.#mayTakeAway.delete(typeUrl);
    if (rejected) return this.#answer(response, "rejected by the model");
    if (typeUrl === endpointType) for (const name of response.resources.keys()) this.#warming.delete(name);
    if (typeUrl === clusterType) this.#withheldAck = response;
    else this.#answer(response);
    if (typeUrl === clusterType && this.#warming.size > 0) this.#repeatEndpointRequest();
    this.#follow();
  }

  /** In SotW, Envoy asks once more for endpoints it already has when their cluster warms; in delta it says nothing. */
  #repeatEndpointRequest(): void {
    const unchanged = this.#asked.get(endpointType)?.symmetricDifference(this.#awaitingEndpoints()).size === 0;
    if (this.mode === "sotw" && unchanged && this.#nonces.has(endpointType)) this.#sendSotw(endpointType);
  }

  #apply(response: Response, half: boolean): void {
    const held = this.#of(response.typeUrl);
    let index = 0;
    for (const [name, resource] of response.resources) {
      if (half && index++ % 2 === 0) continue;
      const isNew = held.get(name)?.version !== resource.version;
      if (response.typeUrl === clusterType && isNew && resource.content.awaitsEndpoints) this.#warming.add(name);
      held.set(name, resource);
      if (response.typeUrl === routeType) this.#checkRoute(name, resource.content);
      if (response.typeUrl === endpointType) this.#checkEndpoints(name, resource.content);
    }
    if (half) return;
    for (const name of response.removed) {
      held.delete(name);
      if (response.typeUrl === clusterType && !this.#mayTakeAway.has(clusterType)) this.#checkRemoval(name);
    }
  }

  /** Whatever the new state lets it do: ask for more, acknowledge clusters that are warm now. */
  #follow(): void {
    const awaiting = this.#awaitingEndpoints();
    for (const name of this.#warming) if (!awaiting.has(name)) this.#warming.delete(name);
    if (this.#withheldAck !== undefined || this.#asked.has(endpointType)) {
      this.#subscribe(endpointType, this.#awaitingEndpoints());
    }
    for (const name of this.#of(endpointType).keys()) {
      if (!awaiting.has(name)) this.#of(endpointType).delete(name);
    }
    if (this.#warming.size === 0) {
      if (this.#withheldAck !== undefined) this.#answer(this.#withheldAck);
      this.#withheldAck = undefined;
      if (!this.#asked.has(clusterType)) this.#askAll();
      else if (!this.#asked.has(listenerType)) this.#subscribe(listenerType, []);
    }
    if (this.#asked.has(listenerType)) this.#subscribe(routeType, this.#routesNamed());
    for (const name of this.#of(routeType).keys()) {
      if (!this.#routesNamed().has(name)) this.#of(routeType).delete(name);
    }
  }

  #checkRoute(name: string, content: Content): void {
    if (this.#clustersRejected) return;
    for (const cluster of content.clusters ?? []) {
      if (!this.#of(clusterType).has(cluster)) this.broken.push(`route ${name} came before cluster ${cluster}`);
    }
  }

  /** In the tests every cluster has endpoints: one that is going away keeps them until nothing names it any more. */
  #checkEndpoints(cluster: string, content: Content): void {
    if (content.empty !== true || this.#mayTakeAway.has(endpointType)) return;
    if (!this.#of(clusterType).has(cluster)) return;
    for (const [name, route] of this.#of(routeType)) {
      if (route.content.clusters?.includes(cluster))
        this.broken.push(`cluster ${cluster} was emptied under route ${name}`);
    }
  }

  #checkRemoval(cluster: string): void {
    for (const [name, route] of this.#of(routeType)) {
      if (route.content.clusters?.includes(cluster)) this.broken.push(`cluster ${cluster} went before route ${name}`);
    }
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
    const names = new Set(wanted);
    const before = this.#asked.get(typeUrl);
    if (before === undefined && names.size === 0 && (typeUrl === endpointType || typeUrl === routeType)) return;
    const added = before === undefined ? names : names.difference(before);
    const dropped = before === undefined ? new Set<string>() : before.difference(names);
    if (before !== undefined && added.size === 0 && dropped.size === 0) return;
    this.#asked.set(typeUrl, names);
    if (this.mode === "sotw") return this.#sendSotw(typeUrl);
    const held = before === undefined ? this.#of(typeUrl) : new Map<string, Held>();
    this.#sendDelta({
      typeUrl,
      resourceNamesSubscribe: [...added],
      resourceNamesUnsubscribe: [...dropped],
      initialResourceVersions: Object.fromEntries(Array.from(held, ([name, { version }]) => [name, version])),
    });
  }

  #answer(response: Response, error?: string): void {
    const errorDetail = error === undefined ? {} : { errorDetail: { code: 3, message: error } };
    if (this.mode === "delta") {
      return this.#sendDelta({ typeUrl: response.typeUrl, responseNonce: response.nonce, ...errorDetail });
    }
    this.#sendSotw(response.typeUrl, errorDetail);
  }

  #sendSotw(typeUrl: string, extra: { errorDetail?: { code: number; message: string } } = {}): void {
    const resourceNames =
      typeUrl === clusterType || typeUrl === listenerType ? [] : [...(this.#asked.get(typeUrl) ?? [])];
    const responseNonce = this.#nonces.get(typeUrl) ?? "";
    const message = create(DiscoveryRequestSchema, {
      typeUrl,
      resourceNames,
      responseNonce,
      ...this.#node(),
      ...extra,
    });
    this.#stream?.send(toBinary(DiscoveryRequestSchema, message));
  }

  #sendDelta(init: Exclude<MessageInitShape<typeof DeltaDiscoveryRequestSchema>, { $typeName: string }>): void {
    const message = create(DeltaDiscoveryRequestSchema, { ...init, ...this.#node() });
    this.#stream?.send(toBinary(DeltaDiscoveryRequestSchema, message));
  }

  #node() {
    if (this.#introduced) return {};
    this.#introduced = true;
    return { node: { id: `router~127.0.0.1~gw.${this.namespace}~${this.namespace}.svc.cluster.local` } };
  }

  #readSotw(bytes: Uint8Array): Response {
    const { typeUrl, nonce, versionInfo, resources } = fromBinary(DiscoveryResponseSchema, bytes);
    const map = new Map(
      resources.map(({ value }) => {
        const { name, content } = this.#readResource(typeUrl, value);
        return [name, { version: content.text, content }] as const;
      }),
    );
    const whole = typeUrl === clusterType || typeUrl === listenerType;
    const removed = whole ? this.names(typeUrl).filter((name) => !map.has(name)) : [];
    return { typeUrl, nonce, version: versionInfo, resources: map, removed };
  }

  #readDelta(bytes: Uint8Array): Response {
    const response = fromBinary(DeltaDiscoveryResponseSchema, bytes);
    const { typeUrl, nonce, systemVersionInfo: version, removedResources: removed } = response;
    const resources = new Map(
      response.resources.map(({ name, version, resource }) => {
        const { content } = this.#readResource(typeUrl, resource?.value ?? new Uint8Array());
        return [name, { version, content }] as const;
      }),
    );
    return { typeUrl, nonce, version, resources, removed };
  }
}
