import type { JsonObject } from "@bufbuild/protobuf";
import type { Peer } from "../../lib/grpc/grpc-stream.ts";
import {
  clusterReferrers,
  clusterType,
  endpointType,
  extensionType,
  listenerType,
  routeType,
  secretType,
  virtualHostType,
} from "../../xds/type-urls.ts";
import { routesOfHost } from "../../xds/virtual-hosts/host-name.ts";
import type { TestClientStream } from "../stream/stream-pair.ts";
import {
  type AdsServer,
  type Content,
  type HeldResource,
  type ModelResponse,
  ModelStream,
  type ReadResource,
} from "./model-stream.ts";

/** The node with which the client introduces itself. */
export interface ModelNode {
  readonly nodeId: string;
  readonly metadata: JsonObject;
  /** Default: none. */
  readonly locality?: { readonly region: string; readonly zone: string };
  /** The minor release of Envoy 1 that the client says it is. From 40 on it takes virtual hosts. Default: unknown. */
  readonly minor?: number;
  /** Whether it also asks for the secrets and extensions that its resources name. Default: no. */
  readonly asksForAll?: boolean;
  /** Its end of the connection. Default: no address, and no rights. */
  readonly peer?: Peer;
  /** The clusters that it asks for by name, as an Envoy that loads them on demand. Default: all there are. */
  readonly clusters?: readonly string[];
}

/** A gateway, for tests that do not care about the node. */
export function gatewayIn(namespace: string): ModelNode {
  return { nodeId: `router~127.0.0.1~gw.${namespace}~${namespace}.svc.cluster.local`, metadata: {} };
}

/**
 * A client that behaves like Envoy where it matters. It subscribes to CDS, EDS, LDS and RDS, and to the names that its
 * clusters and listeners refer to. It warms changed clusters until their endpoints arrive after the CDS response, and
 * withholds the CDS acknowledgement until then. It requests virtual hosts, all of them and once per stream, if a route
 * configuration wants them, and drops those that arrive before their route configuration. It keeps all resources over a lost connection. It records every broken
 * promise.
 */
export class EnvoyModel {
  readonly mode: "sotw" | "delta";
  readonly #node: ModelNode;
  readonly #readResource: ReadResource;
  readonly held = new Map(
    [clusterType, endpointType, listenerType, routeType, virtualHostType, secretType, extensionType].map((type) => [
      type,
      new Map<string, HeldResource>(),
    ]),
  );
  readonly broken: string[] = [];
  /**
   * Clusters that turned out to be empty under a route that arrived while they warmed. Without a timeout the route
   * waits for the acknowledgement of the cluster. After a timeout it does not wait, and the cluster may be gone by
   * then.
   */
  readonly overtaken: string[] = [];
  /**
   * Decides whether the client rejects a response, whatever the response holds. A rejected response is applied in part
   * (delta) or not at all (SotW). The client also rejects poisoned resources, as a real Envoy does.
   */
  reject: (typeUrl: string) => boolean = () => false;
  #stream: ModelStream | undefined;
  readonly #warming = new Set<string>();
  /** Route configurations whose listeners wait for virtual hosts. */
  readonly #awaitingHosts = new Set<string>();
  /** The virtual hosts that the protocol counts as held, dropped ones among them. */
  readonly #hostVersions = new Map<string, HeldResource>();
  /** Answers to CDS responses that wait until the clusters are warm. In SotW only the last answer counts. */
  #withheld: readonly { readonly response: ModelResponse; readonly error?: string }[] = [];
  #clustersRejected = false;
  /**
   * Types whose first response on a stream may remove resources in use. In SotW a server cannot know which resources a
   * client kept from an earlier stream. A client that reconnects while it warms must get endpoints for every cluster it
   * names, and asks for nothing else before. If the clusters are gone, the server can only send empty endpoints.
   */
  readonly #mayTakeAway = new Set<string>();

  constructor(mode: "sotw" | "delta", readResource: ReadResource, node: ModelNode) {
    this.mode = mode;
    this.#readResource = readResource;
    this.#node = node;
  }

  /** Clusters that wait for endpoints, and route configurations that wait for virtual hosts. */
  get warming(): number {
    return this.#warming.size + this.#awaitingHosts.size;
  }

  get stream(): TestClientStream | undefined {
    return this.#stream?.client;
  }

  names(typeUrl: string): readonly string[] {
    return [...this.#of(typeUrl).keys()].toSorted();
  }

  /** Clusters without endpoints, and clusters that receive traffic although they do not exist. */
  get unserved(): ReadonlySet<string> {
    const referrers = clusterReferrers.flatMap((typeUrl) => [...this.#of(typeUrl).values()]);
    const named = referrers.flatMap(({ content }) => content.clusters ?? []);
    const empty = [...this.#of(endpointType)].filter(([, { content }]) => content.empty).map(([name]) => name);
    return new Set([...named.filter((name) => !this.#of(clusterType).has(name)), ...empty]);
  }

  /** Opens a stream and subscribes again to everything that the client already needs. */
  connect(server: AdsServer): void {
    this.#stream = new ModelStream({ mode: this.mode, ...this.#node, readResource: this.#readResource, server });
    this.#withheld = [];
    if (this.mode === "sotw") this.#mayTakeAway.add(clusterType);
    if (this.mode === "sotw" || this.#warming.size > 0) this.#mayTakeAway.add(endpointType);
    // A client with warming clusters subscribes to their endpoints first, and to clusters only afterwards.
    if (this.#warming.size > 0) this.#subscribe(endpointType, this.#awaitingEndpoints());
    else this.#askAll();
  }

  /** The clusters that warmed when the client reconnected have endpoints. It goes on as if it had reconnected now. */
  #leaveWarming(): void {
    this.#mayTakeAway.delete(endpointType);
    this.#askAll();
  }

  #askAll(): void {
    this.#subscribe(clusterType, this.#node.clusters ?? []);
    if (this.#awaitingEndpoints().size > 0) this.#subscribe(endpointType, this.#awaitingEndpoints());
    if (this.#of(listenerType).size > 0) this.#subscribe(listenerType, []);
    if (this.#routesNamed().size > 0) this.#subscribe(routeType, this.#routesNamed());
    if (this.#hostVersions.size > 0) this.#askHosts();
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

  #take(response: ModelResponse, stream: ModelStream): void {
    const { typeUrl } = response;
    // A client that reconnects while it warms, and rejects the endpoints it waits for, is locked out. No server can
    // help it.
    const rejected = stream.hasAsked(clusterType) && this.reject(typeUrl);
    if (typeUrl === clusterType) this.#clustersRejected = rejected;
    if (rejected && this.mode === "delta") this.#apply({ ...halfOf(response), removed: [] });
    if (rejected) {
      this.#mayTakeAway.delete(typeUrl);
      return stream.answer(response, "rejected by the model");
    }
    const { applied, error } = applicable(response);
    this.#clustersRejected ||= typeUrl === clusterType && error !== undefined;
    this.#apply(applied, response);
    if (typeUrl !== endpointType || stream.hasAsked(clusterType)) this.#mayTakeAway.delete(typeUrl);
    if (typeUrl === endpointType) for (const name of applied.resources.keys()) this.#warming.delete(name);
    // Envoy does not wait for other hosts instead of rejected ones.
    if (typeUrl === virtualHostType && error !== undefined) this.#awaitingHosts.clear();
    // Rejected endpoints count as none: the clusters do not wait for others.
    if (typeUrl === endpointType && error !== undefined) this.#warming.clear();
    const word = { response, ...(error !== undefined && { error }) };
    if (typeUrl === clusterType) this.#withheld = this.mode === "sotw" ? [word] : [...this.#withheld, word];
    else stream.answer(response, error);
    // In SotW, Envoy repeats the request for known endpoints when their cluster warms. In delta it sends nothing.
    if (typeUrl === clusterType && this.#warming.size > 0) stream.repeat(endpointType, this.#awaitingEndpoints());
    this.#follow(stream);
  }

  /** Applies the valid part of a response. `whole` is the complete response. */
  #apply(response: ModelResponse, whole = response): void {
    const held = this.#of(response.typeUrl);
    for (const [name, resource] of response.resources) {
      const before = held.get(name);
      const isNew = before?.version !== resource.version;
      if (response.typeUrl === clusterType && isNew && resource.content.awaitsEndpoints) this.#warming.add(name);
      if (response.typeUrl === routeType) this.#checkShell(name, resource.content, before?.content);
      if (response.typeUrl === virtualHostType && !this.#takesHost(name, resource)) continue;
      held.set(name, resource);
      this.#checkReferrer(name, resource.content);
      const emptied = resource.content.empty === true && before?.content.empty !== true;
      if (response.typeUrl === endpointType && emptied) this.#checkEmptied(name, before !== undefined);
    }
    const unlisted = held.keys().filter((name) => !whole.resources.has(name));
    for (const name of response.removed === "unlisted" ? [...unlisted] : response.removed) {
      held.delete(name);
      if (response.typeUrl === virtualHostType) this.#dropHost(name);
      if (response.typeUrl === clusterType && !this.#mayTakeAway.has(clusterType)) this.#checkRemoval(name);
    }
  }

  /** Does what the new state allows: subscribes to more, and acknowledges clusters that are now warm. */
  #follow(stream: ModelStream): void {
    const awaiting = this.#awaitingEndpoints();
    for (const name of this.#warming) if (!awaiting.has(name)) this.#warming.delete(name);
    if (this.#withheld.length > 0 || stream.hasAsked(endpointType)) {
      this.#subscribe(endpointType, this.#awaitingEndpoints());
    }
    for (const name of this.#of(endpointType).keys()) {
      if (!awaiting.has(name)) this.#of(endpointType).delete(name);
    }
    if (this.#warming.size === 0) {
      for (const { response, error } of this.#withheld) stream.answer(response, error);
      this.#withheld = [];
      if (!stream.hasAsked(clusterType)) this.#leaveWarming();
      else if (!stream.hasAsked(listenerType)) this.#subscribe(listenerType, []);
    }
    if (stream.hasAsked(listenerType)) this.#subscribe(routeType, this.#routesNamed());
    for (const name of this.#of(routeType).keys()) {
      if (!this.#routesNamed().has(name)) this.#dropRoutes(name);
    }
    const wantsHosts = this.#of(routeType)
      .values()
      .some(({ content }) => content.awaitsHosts);
    if (wantsHosts && !stream.hasAsked(virtualHostType)) this.#askHosts();
    if (this.#node.asksForAll === true) for (const typeUrl of [secretType, extensionType]) this.#askBeside(typeUrl);
  }

  #askBeside(typeUrl: string): void {
    const referrers = [clusterType, listenerType].flatMap((type) => [...this.#of(type).values()]);
    const names = new Set(referrers.flatMap(({ content }) => content.beside?.get(typeUrl) ?? []));
    this.#subscribe(typeUrl, names);
    for (const name of this.#of(typeUrl).keys()) if (!names.has(name)) this.#of(typeUrl).delete(name);
  }

  #askHosts(): void {
    this.#stream?.subscribe(virtualHostType, [], this.#hostVersions);
  }

  /** The hosts of routes go with them. The protocol still counts them as held. */
  #dropRoutes(name: string): void {
    this.#of(routeType).delete(name);
    this.#awaitingHosts.delete(name);
    const hosts = this.#of(virtualHostType);
    for (const host of hosts.keys()) if (routesOfHost(host) === name) hosts.delete(host);
  }

  /** A new shell has no hosts until they arrive. */
  #checkShell(name: string, content: Content, before: Content | undefined): void {
    if (content.awaitsHosts !== true || before?.awaitsHosts === true) return;
    this.#awaitingHosts.add(name);
    if ((before?.clusters?.length ?? 0) > 0) this.broken.push(`${name} lost its virtual hosts until they come again`);
  }

  #takesHost(name: string, resource: HeldResource): boolean {
    this.#hostVersions.set(name, resource);
    this.#awaitingHosts.delete(routesOfHost(name));
    return this.#of(routeType).get(routesOfHost(name))?.content.awaitsHosts === true;
  }

  #dropHost(name: string): void {
    this.#hostVersions.delete(name);
    this.#awaitingHosts.delete(routesOfHost(name));
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
  #checkEmptied(cluster: string, hadEndpoints: boolean): void {
    if (this.#mayTakeAway.has(endpointType) || !this.#of(clusterType).has(cluster)) return;
    for (const name of this.#referrersOf(cluster)) {
      if (hadEndpoints) this.broken.push(`cluster ${cluster} was emptied under ${name}`);
      else this.overtaken.push(`${name} came before the endpoints of cluster ${cluster}`);
    }
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

  #of(typeUrl: string): Map<string, HeldResource> {
    const held = this.held.get(typeUrl);
    if (held === undefined) throw new Error(`not a type of the model: ${typeUrl}`);
    return held;
  }

  #subscribe(typeUrl: string, wanted: Iterable<string>): void {
    this.#stream?.subscribe(typeUrl, wanted, this.#of(typeUrl));
  }
}

function halfOf(response: ModelResponse): ModelResponse {
  return { ...response, resources: new Map([...response.resources].filter((_, index) => index % 2 === 1)) };
}

/** The part of a response that a real Envoy applies, and the reason if it rejects the response. */
function applicable(response: ModelResponse): { readonly applied: ModelResponse; readonly error?: string } {
  const entries = [...response.resources];
  const isPoison = ([, { content }]: (typeof entries)[number]) => content.poison !== undefined;
  const first = entries.findIndex(isPoison);
  if (first === -1) return { applied: response };
  const error = `no to ${entries
    .filter(isPoison)
    .map(([name]) => name)
    .join()}`;
  const nothing: ModelResponse = { ...response, resources: new Map(), removed: [] };
  // Envoy rebuilds the routes with all hosts of a response, or with none.
  const isAtomic = response.typeUrl === virtualHostType;
  if (isAtomic || entries.some(([, { content }]) => content.poison === "unreadable"))
    return { applied: nothing, error };
  const { typeUrl } = response;
  // Envoy applies routes and endpoints one after the other, and stops at the first that fails.
  if (typeUrl === endpointType || typeUrl === routeType) {
    return { applied: { ...nothing, resources: new Map(entries.slice(0, first)) }, error };
  }
  // Envoy tries clusters and listeners one by one. A poisoned one keeps the version that Envoy already has.
  return { applied: { ...response, resources: new Map(entries.filter((entry) => !isPoison(entry))) }, error };
}

/** Runs until no client has anything to read. Bounded: a protocol that never comes to rest is a failure. */
export async function settleAll(
  envoys: readonly Pick<EnvoyModel, "step">[],
  pushed: () => Promise<void>,
): Promise<void> {
  for (let round = 0; round < 500; round++) {
    await pushed();
    if (!envoys.map((envoy) => envoy.step()).some(Boolean)) return;
  }
  throw new Error("the streams do not come to rest");
}
