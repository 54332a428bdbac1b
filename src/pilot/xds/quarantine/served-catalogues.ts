import type { Connection } from "../../../xds/connection.ts";
import type { Lease, ResourceSource } from "../../../xds/resource-source.ts";
import type { ResourceType } from "../../../xds/resource-type.ts";
import type { NameSet } from "../../../xds/resources/name-set.ts";
import type { Target } from "../../../xds/resources/target.ts";
import { minHosts } from "../../../xds/virtual-hosts/split-routes.ts";
import { takesVirtualHosts } from "../../model/proxy/capabilities.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { proxyClassOf } from "../../model/proxy/proxy-class.ts";
import type { Catalogue } from "../catalogue.ts";
import type { Generator } from "../generator.ts";
import { nodeScopeIdOf } from "./scope.ts";

/** The proxies of a class that already get objects which the rest of the class does not get yet. */
interface Rollout {
  readonly nodes: ReadonlySet<string>;
  readonly catalogue: Catalogue;
}

/** The mesh with a staged change, for the proxies of the waves so far. */
export interface CandidateMesh {
  readonly has: (proxy: Proxy) => boolean;
  /** By the name of the mesh that the proxy would get without the change. Undefined is that of the users. */
  readonly catalogueOf: (name: string | undefined) => Catalogue | undefined;
}

interface NamedCatalogue {
  readonly name: string | undefined;
  readonly catalogue: Catalogue;
}

interface ServedOptions {
  /** Route configurations with at least so many virtual hosts are split for proxies that can take them (VHDS). Infinity: none. */
  readonly splitFrom?: number;
}

/**
 * Gives each proxy its resources. They come from the users' mesh, or from the mesh without the objects that its class
 * refuses. During a trial they come from the mesh that is tried on it. Each mesh has a catalogue. Without refused
 * objects there is one catalogue.
 */
export class ServedCatalogues implements ResourceSource<Proxy> {
  readonly main: Catalogue;
  readonly #ofScope = new Map<string, Catalogue>();
  /** By class. */
  readonly #rollouts = new Map<string, Rollout>();
  /** The catalogues of the last leases of a proxy, by type. */
  readonly #leased = new WeakMap<Proxy, Map<ResourceType, Catalogue>>();
  readonly #splitFrom: number;
  #candidate: CandidateMesh | undefined;
  #trial: { readonly proxy: Proxy; readonly catalogue: Catalogue } | undefined;

  constructor(main: Catalogue, { splitFrom = minHosts }: ServedOptions = {}) {
    this.main = main;
    this.#splitFrom = splitFrom;
  }

  get types(): readonly Generator[] {
    return this.main.types;
  }

  splitFrom(proxy: Proxy): number | undefined {
    // Without a limit, clients return to whole routes, even those that hold shells.
    return takesVirtualHosts(proxy) && Number.isFinite(this.#splitFrom) ? this.#splitFrom : undefined;
  }

  /** A lease from before is prolonged only within the same mesh. */
  lease(type: ResourceType, proxy: Proxy, asked: NameSet | "all", before?: Lease): Lease {
    const { name, catalogue } = this.#of(proxy);
    this.#remember(type, proxy, catalogue);
    const substituted = before instanceof SubstitutedLease ? before : undefined;
    if (name === undefined) return catalogue.lease(type, proxy, asked, substituted === undefined ? before : undefined);
    const inside = substituted?.mesh === name ? substituted.lease : undefined;
    const lease = catalogue.lease(type, proxy, asked, inside);
    return substituted !== undefined && lease === inside ? substituted : new SubstitutedLease(lease, name);
  }

  /** The catalogue that a proxy gets its resources from with its next push. */
  catalogueOf(proxy: Proxy): Catalogue {
    return this.#of(proxy).catalogue;
  }

  /** The name of the mesh that a proxy is meant to have without a staged change, and whether it has one. */
  meshOf(proxy: Proxy): { readonly name: string | undefined; readonly hasCandidate: boolean } {
    return { name: this.#withoutCandidate(proxy).name, hasCandidate: this.#candidate?.has(proxy) === true };
  }

  /**
   * False until the proxy has its next push, if other resources are meant for it now. Then its verdict is about
   * resources that it will not keep. Types that it does not ask for any more say nothing.
   */
  isCurrent({ client, subscriptions }: Pick<Connection<Proxy>, "client" | "subscriptions">): boolean {
    const { catalogue } = this.#of(client);
    const leased = this.#leased.get(client);
    return subscriptions.every(({ type }) => (leased?.get(type) ?? catalogue) === catalogue);
  }

  /** The catalogue of a scope, if its proxies refuse something. */
  ofScope(id: string): Catalogue | undefined {
    return this.#ofScope.get(id);
  }

  setScope(id: string, catalogue: Catalogue | undefined): void {
    if (catalogue === undefined) this.#ofScope.delete(id);
    else this.#ofScope.set(id, catalogue);
  }

  rolloutOf(classId: string): Rollout | undefined {
    return this.#rollouts.get(classId);
  }

  setRollout(classId: string, rollout: Rollout | undefined): void {
    if (rollout === undefined) this.#rollouts.delete(classId);
    else this.#rollouts.set(classId, rollout);
  }

  /** From their next lease on, the proxies of the waves get the staged change. Undefined: nobody does. */
  setCandidate(candidate: CandidateMesh | undefined): void {
    this.#candidate = candidate;
  }

  /** From the next lease on, this proxy gets its resources from this catalogue. One proxy at a time. */
  startTrial(proxy: Proxy, catalogue: Catalogue): void {
    this.#trial = { proxy, catalogue };
  }

  endTrial(): void {
    this.#trial = undefined;
  }

  isOnTrial(proxy: Proxy): boolean {
    return this.#trial?.proxy === proxy;
  }

  #remember(type: ResourceType, proxy: Proxy, catalogue: Catalogue): void {
    const leased = this.#leased.get(proxy) ?? new Map<ResourceType, Catalogue>();
    this.#leased.set(proxy, leased.set(type, catalogue));
  }

  /** The catalogue for a proxy. The users' mesh has no name. */
  #of(proxy: Proxy): NamedCatalogue {
    if (this.#trial?.proxy === proxy) return { name: "trial", catalogue: this.#trial.catalogue };
    const served = this.#withoutCandidate(proxy);
    if (this.#candidate?.has(proxy) !== true) return served;
    const catalogue = this.#candidate.catalogueOf(served.name);
    return catalogue === undefined ? served : { name: `${served.name ?? ""} candidate`, catalogue };
  }

  #withoutCandidate(proxy: Proxy): NamedCatalogue {
    if (this.#ofScope.size === 0) return { name: undefined, catalogue: this.main };
    const { id } = proxyClassOf(proxy);
    const nodeId = nodeScopeIdOf(id, proxy.nodeId);
    const own = this.#ofScope.get(nodeId);
    if (own !== undefined) return { name: nodeId, catalogue: own };
    const rollout = this.#rollouts.get(id);
    if (rollout?.nodes.has(proxy.nodeId) === true) return { name: rolloutName(id), catalogue: rollout.catalogue };
    const catalogue = this.#ofScope.get(id);
    return catalogue === undefined ? { name: undefined, catalogue: this.main } : { name: id, catalogue };
  }
}

/** The name of the mesh for the proxies of a class that already get an object. */
export function rolloutName(classId: string): string {
  return `${classId} rollout`;
}

/** A lease on parts of another mesh than the users'. */
class SubstitutedLease implements Lease {
  readonly lease: Lease;
  readonly mesh: string;

  constructor(lease: Lease, mesh: string) {
    this.lease = lease;
    this.mesh = mesh;
  }

  get id(): string {
    return `${this.mesh}\n${this.lease.id}`;
  }

  get target(): Target | undefined {
    return this.lease.target;
  }

  get madeMs(): number {
    return this.lease.madeMs ?? 0;
  }

  get isTrial(): boolean {
    return this.mesh === "trial";
  }

  end(): void {
    this.lease.end();
  }
}
