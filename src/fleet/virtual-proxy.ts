import { AdsRequests, type NameSections, type ProxyNode, type Wanted } from "./ads-requests.ts";
import { HeldResources, isNothing, type ResourceChanges } from "./held-resources.ts";
import { ReferenceCheck } from "./reference-check.ts";
import type { PooledResource, ResourcePool } from "./resource-pool.ts";
import { perType, type FleetResourceType, fleetResourceTypes } from "./fleet-resource-type.ts";
import type { StreamMode, DiscoveryResponse } from "./response.ts";
import { WarmingClusters } from "./warming-clusters.ts";

/** Receives the events of a proxy, for counting. */
interface ProxyObserver {
  received(response: DiscoveryResponse): void;
  accepted(response: DiscoveryResponse): void;
  rejected(response: DiscoveryResponse): void;
  /** A proxy in sync received a new version. */
  changed(resource: PooledResource): void;
  /** The proxy has everything it requested: for the first time, or after a reconnect. */
  synced(occasion: "first" | "resumed"): void;
  /** A response had nothing new, and no request caused it. */
  needless(response: DiscoveryResponse): void;
  /** A reference was unresolved for a while. */
  broken(sentence: string): void;
}

export interface VirtualProxyOptions {
  readonly node: ProxyNode;
  readonly mode: StreamMode;
  /** The listeners that a proxyless gRPC client requests. Undefined for an Envoy, which requests all. */
  readonly targets: readonly string[] | undefined;
  /** Rejects every third change of clusters, listeners and routes. */
  readonly rejects: boolean;
  /** Whether this proxy may report server errors. A proxy that rejects or answers late rightly gets repetitions. */
  readonly reportsErrors: boolean;
  readonly pool: ResourcePool;
  readonly nameSections: NameSections;
  readonly observer: ProxyObserver;
  readonly now: () => number;
}

/** How long servers usually wait for an acknowledgement. */
const ackPatienceMs = 15_000;

/**
 * One proxy without traffic. It requests, acknowledges and keeps resources like an Envoy or a gRPC client, over
 * successive streams. An Envoy requests clusters, their endpoints, listeners, their routes, and virtual hosts if they are resources. It withholds the
 * acknowledgement of clusters until all of them are warm. A gRPC client follows names from listener to endpoints.
 */
export class VirtualProxy {
  readonly #options: VirtualProxyOptions;
  readonly #resources: HeldResources;
  readonly #warming: WarmingClusters;
  readonly #references: ReferenceCheck;
  readonly #versions = new Map<FleetResourceType, string>();
  #requests: AdsRequests | undefined;
  #withheld: DiscoveryResponse | undefined;
  /** Types that this stream received, and the number of expected answers per type. */
  readonly #answered = new Set<FleetResourceType>();
  readonly #expectedAnswers = perType(() => 0);
  #sync: "never" | "lost" | "now" = "never";
  #changes = 0;
  #connectedAt = 0;

  constructor(options: VirtualProxyOptions) {
    this.#options = options;
    this.#resources = new HeldResources(options.pool);
    this.#warming = new WarmingClusters(this.#resources, options.now);
    const usable = (cluster: string) => this.#warming.usable(cluster);
    this.#references = new ReferenceCheck(this.#resources, usable, (sentence) => options.observer.broken(sentence));
  }

  /** Whether the proxy has everything it requested, on its current stream. */
  get synced(): boolean {
    return this.#sync === "now";
  }

  /** Unresolved references now. */
  get dangling(): number {
    return this.#references.dangling;
  }

  held(type: FleetResourceType): ReadonlyMap<string, PooledResource> {
    return this.#resources.of(type);
  }

  /** A stream is open. Requests everything that the proxy already needs. */
  connect(send: (bytes: Uint8Array) => void): void {
    const { mode, node, nameSections } = this.#options;
    this.#requests = new AdsRequests({ mode, node, nameSections, send });
    this.#connectedAt = this.#options.now();
    this.#warming.stopWaiting();
    this.#withheld = undefined;
    this.#answered.clear();
    for (const type of fleetResourceTypes) this.#expectedAnswers[type] = 0;
    if (this.#isGrpc) this.#followAsGrpc();
    // After a reconnect with warming clusters, Envoy requests their endpoints first and clusters afterwards.
    else if (this.#warming.size > 0) this.#ask("EDS");
    else this.#askAgain();
  }

  disconnect(): void {
    this.#requests = undefined;
    if (this.#sync === "now") this.#sync = "lost";
  }

  receive(response: DiscoveryResponse): void {
    const requests = this.#requests;
    if (requests === undefined) return;
    this.#options.observer.received(response);
    if (this.#rejects(response)) return this.#reject(response, requests);
    const awaited = this.#warming.awaits(response);
    const changes = this.#resources.apply(this.#wantedOf(response), this.#options.mode);
    this.#warming.applied(response, changes);
    this.#reportErrors(response, changes, awaited);
    if (this.#expectedAnswers[response.type] > 0) this.#expectedAnswers[response.type]--;
    // An Envoy that requested endpoints before any cluster gets them once more after the clusters.
    const isFirstOfClusters = response.type === "CDS" && !this.#answered.has("CDS");
    if (isFirstOfClusters && !this.#isGrpc && requests.hasAsked("EDS")) this.#expectedAnswers.EDS++;
    this.#answered.add(response.type);
    if (response.type === "CDS" && !this.#isGrpc) this.#withheld = response;
    else this.#accept(response, requests);
    if (this.#isGrpc) this.#followAsGrpc();
    else this.#followAsEnvoy(response.type, requests);
    this.#noteSync();
  }

  /** Envoy requests virtual hosts once per stream, after a route configuration whose hosts are resources. */
  get #awaitsHosts(): boolean {
    return this.#resources
      .of("RDS")
      .values()
      .some(({ awaitsHosts }) => awaitsHosts === true);
  }

  get #isGrpc(): boolean {
    return this.#options.targets !== undefined;
  }

  #rejects({ type }: DiscoveryResponse): boolean {
    // Endpoints of a warming cluster are not rejected: the proxy would block itself.
    if (!this.#options.rejects || this.#sync !== "now" || type === "EDS") return false;
    this.#changes++;
    return this.#changes % 3 === 0;
  }

  #reject(response: DiscoveryResponse, requests: AdsRequests): void {
    requests.answer(response, this.#versionOf(response.type), "rejected, as this proxy was told to");
    this.#options.observer.rejected(response);
  }

  #accept(response: DiscoveryResponse, requests: AdsRequests): void {
    this.#versions.set(response.type, response.version);
    requests.answer(response, response.version);
    this.#options.observer.accepted(response);
  }

  /** Checks the server's behaviour. */
  #reportErrors(response: DiscoveryResponse, changes: ResourceChanges, awaited: boolean): void {
    const { observer, mode, reportsErrors, now } = this.#options;
    const first = !this.#answered.has(response.type);
    if (this.#sync === "now" && !first)
      for (const each of [...changes.added, ...changes.changed]) observer.changed(each);
    if (!reportsErrors) return;
    const expected = first || awaited || this.#expectedAnswers[response.type] > 0 || this.#isLate(response);
    if (isNothing(changes) && !expected) observer.needless(response);
    // In SotW a server cannot know which resources a proxy kept from an earlier stream.
    if (!this.#isGrpc) this.#references.applied(changes, now(), { mayRemove: mode === "sotw" && first });
  }

  /**
   * A server that waits long for the first acknowledgements sends the endpoints again, because clusters may be warming.
   */
  #isLate({ type }: DiscoveryResponse): boolean {
    return type === "EDS" && this.#sync !== "now" && this.#options.now() - this.#connectedAt > ackPatienceMs;
  }

  #followAsEnvoy(type: FleetResourceType, requests: AdsRequests): void {
    if (type === "CDS") {
      this.#resources.keepOnly("EDS", this.#resources.named("endpoints"));
      // Endpoints of a warming cluster are requested again in SotW. Delta sends no request.
      const asked = this.#ask("EDS");
      if (!asked && this.#warming.size > 0 && requests.repeat("EDS", this.#versionOf("EDS")))
        this.#expectedAnswers.EDS++;
    }
    if (this.#warming.size === 0) {
      if (this.#withheld !== undefined) this.#accept(this.#withheld, requests);
      this.#withheld = undefined;
      if (!requests.hasAsked("CDS")) this.#askAgain();
      else if (this.#answered.has("CDS")) this.#ask("LDS");
    }
    if (type === "LDS") {
      this.#resources.keepOnly("RDS", this.#resources.named("routes"));
      this.#ask("RDS");
    }
    if (type === "RDS" && this.#awaitsHosts) this.#ask("VHDS");
  }

  #followAsGrpc(): void {
    for (const type of ["LDS", "RDS", "CDS", "EDS"] as const) {
      const wanted = this.#wanted(type);
      if (wanted !== "all") this.#resources.keepOnly(type, wanted);
      this.#ask(type);
    }
  }

  /** A starting proxy requests clusters. A reconnecting proxy requests everything that it had. */
  #askAgain(): void {
    for (const type of fleetResourceTypes) if (type === "CDS" || this.#resources.of(type).size > 0) this.#ask(type);
  }

  #ask(type: FleetResourceType): boolean {
    const asked =
      this.#requests?.ask(type, this.#wanted(type), this.#versionOf(type), this.#resources.of(type)) === true;
    if (asked) this.#expectedAnswers[type]++;
    return asked;
  }

  #wanted(type: FleetResourceType): Wanted {
    const { targets } = this.#options;
    if (type === "EDS") return this.#resources.named("endpoints");
    if (type === "RDS") return this.#resources.named("routes");
    if (targets === undefined) return "all";
    return type === "LDS" ? new Set(targets) : this.#resources.named("clusters");
  }

  /** A response may cross with a request for fewer names. Unwanted resources are ignored. */
  #wantedOf(response: DiscoveryResponse): DiscoveryResponse {
    const wanted = this.#wanted(response.type);
    if (wanted === "all" || response.resources.every(({ name }) => wanted.has(name))) return response;
    this.#expectedAnswers[response.type]++;
    return { ...response, resources: response.resources.filter(({ name }) => wanted.has(name)) };
  }

  #versionOf(type: FleetResourceType): string {
    return this.#versions.get(type) ?? "";
  }

  #noteSync(): void {
    if (this.#sync === "now" || !this.#hasAll()) return;
    const occasion = this.#sync === "never" ? "first" : "resumed";
    this.#sync = "now";
    this.#options.observer.synced(occasion);
  }

  #hasAll(): boolean {
    if (!this.#answered.has("LDS")) return false;
    // A name that a gRPC client requests need not exist. The client is in sync when every request is answered.
    if (this.#isGrpc) return fleetResourceTypes.every((type) => this.#expectedAnswers[type] === 0);
    if (this.#warming.size > 0 || !this.#answered.has("CDS")) return false;
    if (this.#awaitsHosts && !this.#answered.has("VHDS")) return false;
    return fleetResourceTypes.every((type) => {
      const wanted = this.#wanted(type);
      return wanted === "all" || wanted.isSubsetOf(new Set(this.#resources.of(type).keys()));
    });
  }
}
