import { isProxyless, type Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Connection } from "../../xds/connection.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import type { Answer } from "../../xds/subscription/answer.ts";
import { clusterType, endpointType, listenerType, routeType, virtualHostType } from "../../xds/type-urls.ts";
import { isShellVersion, routesOfHost } from "../../xds/virtual-hosts/host-name.ts";
import { type Asked, ClientRequests } from "./client-requests.ts";
import { HeldResources } from "./held-resources.ts";
import { namesBeside, typesBeside } from "./names-beside.ts";
import { clustersNamedBy, endpointsNamedBy, routesNamedBy } from "./named-resources.ts";

/** A response that the client has not read so far. */
export interface UnreadResponse {
  readonly type: ResourceType;
  readonly nonce: string;
  readonly answer: Answer;
}

/** The request of a type with which a stream begins. */
export interface OpeningRequest {
  readonly typeUrl: string;
  readonly asked: Asked;
  /** Versions by name that the client keeps: they decide in which form it has route configurations. */
  readonly held?: ReadonlyMap<string, string>;
}

const nothing: ReadonlySet<string> = new Set();

/**
 * A client that does what Envoy and gRPC do, without traffic: it acknowledges, keeps resources, and asks for the names
 * that its resources refer to. An Envoy withholds the acknowledgement of clusters until their endpoints have arrived.
 * It accepts everything.
 */
export class RehearsedClient {
  readonly #connection: Connection<Proxy>;
  readonly #requests: ClientRequests;
  readonly #held: HeldResources;
  readonly #isProxyless: boolean;
  readonly #unread: UnreadResponse[] = [];
  readonly #warming = new Set<string>();
  /** Nonces of cluster responses. In SotW only the last one counts. */
  #withheld: readonly string[] = [];
  /** Names that the client asks for although no resource of its own refers to them. */
  readonly #extra = new Map<string, ReadonlySet<string>>();
  /** Types that the client does not ask for although its resources refer to them. */
  readonly #unused = new Set<string>();
  #follows = false;

  constructor(connection: Connection<Proxy>) {
    this.#connection = connection;
    this.#requests = new ClientRequests(connection);
    this.#held = new HeldResources(connection.mode);
    this.#isProxyless = isProxyless(connection.client);
  }

  get held(): HeldResources {
    return this.#held;
  }

  /** A response has arrived. {@link run} reads it. */
  received(response: UnreadResponse): void {
    this.#unread.push(response);
  }

  /** Starts like an Envoy without configuration: clusters, their endpoints, listeners, their routes. */
  start(): void {
    this.#follows = true;
    this.#requests.begin(clusterType, "all");
    this.run();
    this.#requests.begin(listenerType, "all");
    this.run();
  }

  /** Begins with these requests, as a connected client made them, and takes everything that is due. */
  repeat(requests: readonly OpeningRequest[]): void {
    for (const { typeUrl, asked, held } of requests) {
      this.#requests.begin(typeUrl, asked, held);
      this.run();
    }
    this.#takeTargets();
    for (const typeUrl of this.#followed) {
      const [asked, referred] = [this.#requests.asked(typeUrl), this.#referred(typeUrl)];
      if (asked === undefined && referred.size > 0) this.#unused.add(typeUrl);
      if (asked !== undefined && asked !== "all") this.#extra.set(typeUrl, asked.difference(referred));
    }
    this.#follows = true;
  }

  /** Reads all responses, those to its own requests included. */
  run(): void {
    for (let next = this.#unread.shift(); next !== undefined; next = this.#unread.shift()) this.#take(next);
  }

  #take({ type, nonce, answer }: UnreadResponse): void {
    const { typeUrl } = type;
    this.#requests.read(typeUrl, nonce);
    const changed = this.#held.apply(type, answer);
    const warms = typeUrl === clusterType && this.#follows && !this.#isProxyless;
    if (!warms) this.#requests.acknowledge(typeUrl, nonce);
    else {
      for (const name of endpointsNamedBy(changed)) this.#warming.add(name);
      this.#withheld = this.#connection.mode === "sotw" ? [nonce] : [...this.#withheld, nonce];
    }
    if (typeUrl === endpointType) for (const { name } of answer.resources) this.#warming.delete(name);
    if (this.#follows) this.#followUp(warms);
  }

  #followUp(wereClusters: boolean): void {
    const endpoints = this.#unused.has(endpointType) ? nothing : this.#referred(endpointType);
    // In SotW an Envoy repeats its request for endpoints when their clusters warm.
    if (wereClusters && this.#warming.size > 0)
      this.#requests.repeat(endpointType, this.#wanted(endpointType, endpoints));
    for (const name of this.#warming) if (!endpoints.has(name)) this.#warming.delete(name);
    if (this.#unused.has(endpointType)) this.#acknowledgeClusters();
    // A dropped resource refers to nothing any more, so each type is looked at after those before it.
    for (const typeUrl of this.#followed) {
      this.#ask(typeUrl, this.#wanted(typeUrl, this.#referred(typeUrl)));
      // Clusters are warm now: an Envoy answers before it asks for listeners and routes.
      if (typeUrl === endpointType && this.#warming.size === 0) this.#acknowledgeClusters();
    }
    this.#askForHosts();
  }

  #acknowledgeClusters(): void {
    const nonces = this.#withheld;
    this.#withheld = [];
    for (const nonce of nonces) this.#requests.acknowledge(clusterType, nonce);
  }

  #ask(typeUrl: string, names: ReadonlySet<string>): void {
    if (this.#requests.asked(typeUrl) === "all") return;
    const isUnread = this.#unread.some(({ type }) => type.typeUrl === typeUrl);
    this.#requests.ask(typeUrl, names, isUnread);
    if (this.#requests.asked(typeUrl) !== undefined) this.#held.keepOnly(typeUrl, (name) => names.has(name));
    if (typeUrl === routeType) this.#held.keepOnly(virtualHostType, (name) => names.has(routesOfHost(name)));
  }

  #askForHosts(): void {
    if (this.#requests.asked(virtualHostType) !== undefined) return;
    const shells = [...this.#held.of(routeType).values()].filter(({ version }) => isShellVersion(version));
    if (shells.length > 0) this.#requests.begin(virtualHostType, "all");
  }

  #wanted(typeUrl: string, referred: ReadonlySet<string>): ReadonlySet<string> {
    const extra = this.#extra.get(typeUrl);
    return extra === undefined || extra.size === 0 ? referred : referred.union(extra);
  }

  /** The types that the client asks for because of what it holds, in the order in which it asks. */
  get #followed(): readonly string[] {
    const types = this.#isProxyless
      ? [routeType, clusterType, endpointType]
      : [endpointType, routeType, ...typesBeside];
    return types.filter((typeUrl) => !this.#unused.has(typeUrl));
  }

  /** The names of one type that the client needs by what it holds now. */
  #referred(typeUrl: string): ReadonlySet<string> {
    const of = (type: string) => this.#held.of(type).values();
    if (typeUrl === endpointType) return endpointsNamedBy(of(clusterType));
    if (typeUrl === routeType) return routesNamedBy(of(listenerType));
    if (typeUrl === clusterType) return clustersNamedBy(of(listenerType), of(routeType));
    return namesBeside(typeUrl, of(clusterType), of(listenerType));
  }

  /** A client that kept its resources was sent nothing of them: it has the resources that it asks for. */
  #takeTargets(): void {
    for (const { subscription, target = [] } of this.#connection.watched) {
      const { typeUrl } = subscription.type;
      const listed = target.flatMap((set) => [...set]).filter(({ name }) => subscription.wants(name));
      const known = new Set(listed.map(({ name }) => name));
      const others = [...this.#held.of(typeUrl).values()].filter(({ name }) => !known.has(name));
      // Stand-ins for missing resources are in no target.
      this.#held.set(typeUrl, [...listed, ...others]);
    }
  }
}
