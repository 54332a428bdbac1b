import type { Lease, ResourceSource } from "../../../xds/resource-source.ts";
import type { ResourceType } from "../../../xds/resource-type.ts";
import type { NameSet } from "../../../xds/resources/name-set.ts";
import type { Target } from "../../../xds/resources/target.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { proxyClassOf } from "../../model/proxy/proxy-class.ts";
import type { Catalogue } from "../catalogue.ts";
import type { Generator } from "../generator.ts";

/**
 * Gives each proxy its resources. They come from the users' mesh, or from the mesh without the objects that its class
 * refuses. During a trial they come from the mesh that is tried on it. Each mesh has a catalogue. Without refused objects there is one catalogue.
 */
export class ServedCatalogues implements ResourceSource<Proxy> {
  readonly main: Catalogue;
  readonly #ofClass = new Map<string, Catalogue>();
  #trial: { readonly proxy: Proxy; readonly catalogue: Catalogue } | undefined;

  constructor(main: Catalogue) {
    this.main = main;
  }

  get types(): readonly Generator[] {
    return this.main.types;
  }

  lease(type: ResourceType, proxy: Proxy, asked: NameSet | "all"): Lease {
    if (this.#trial?.proxy === proxy)
      return new SubstitutedLease(this.#trial.catalogue.lease(type, proxy, asked), "trial");
    const { id } = proxyClassOf(proxy);
    const catalogue = this.#ofClass.get(id);
    if (catalogue === undefined) return this.main.lease(type, proxy, asked);
    return new SubstitutedLease(catalogue.lease(type, proxy, asked), id);
  }

  /** The catalogue of a class, if the class refuses something. */
  ofClass(id: string): Catalogue | undefined {
    return this.#ofClass.get(id);
  }

  setClass(id: string, catalogue: Catalogue | undefined): void {
    if (catalogue === undefined) this.#ofClass.delete(id);
    else this.#ofClass.set(id, catalogue);
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
