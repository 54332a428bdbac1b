import type { Lease, ResourceSource } from "../../../xds/resource-source.ts";
import type { ResourceType } from "../../../xds/resource-type.ts";
import type { NameSet } from "../../../xds/resources/name-set.ts";
import type { Target } from "../../../xds/resources/target.ts";
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
  #trial: { readonly proxy: Proxy; readonly catalogue: Catalogue } | undefined;

  constructor(main: Catalogue) {
    this.main = main;
  }

  get types(): readonly Generator[] {
    return this.main.types;
  }

  lease(type: ResourceType, proxy: Proxy, asked: NameSet | "all"): Lease {
    const { name, catalogue } = this.#of(proxy);
    this.#remember(type, proxy, catalogue);
    const lease = catalogue.lease(type, proxy, asked);
    return name === undefined ? lease : new SubstitutedLease(lease, name);
  }

  /**
   * False until the proxy has its next push, if other resources are meant for it now. Then its verdict is about
   * resources that it will not keep.
   */
  isCurrent(proxy: Proxy): boolean {
    const { catalogue } = this.#of(proxy);
    const leased = this.#leased.get(proxy)?.values() ?? [];
    return Iterator.from(leased).every((each) => each === catalogue);
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
  #of(proxy: Proxy): { readonly name: string | undefined; readonly catalogue: Catalogue } {
    if (this.#trial?.proxy === proxy) return { name: "trial", catalogue: this.#trial.catalogue };
    if (this.#ofScope.size === 0) return { name: undefined, catalogue: this.main };
    const { id } = proxyClassOf(proxy);
    const nodeId = nodeScopeIdOf(id, proxy.nodeId);
    const own = this.#ofScope.get(nodeId);
    if (own !== undefined) return { name: nodeId, catalogue: own };
    const rollout = this.#rollouts.get(id);
    if (rollout?.nodes.has(proxy.nodeId) === true) return { name: `${id} rollout`, catalogue: rollout.catalogue };
    const catalogue = this.#ofScope.get(id);
    return catalogue === undefined ? { name: undefined, catalogue: this.main } : { name: id, catalogue };
  }
}

/** A lease on parts of another mesh than the users'. */
class SubstitutedLease implements Lease {
  readonly #lease: Lease;
  readonly #mesh: string;

  constructor(lease: Lease, mesh: string) {
    this.#lease = lease;
    this.#mesh = mesh;
  }

  get id(): string {
    return `${this.#mesh}\n${this.#lease.id}`;
  }

  get target(): Target | undefined {
    return this.#lease.target;
  }

  get madeMs(): number {
    return this.#lease.madeMs ?? 0;
  }

  get isTrial(): boolean {
    return this.#mesh === "trial";
  }

  end(): void {
    this.#lease.end();
  }
}
