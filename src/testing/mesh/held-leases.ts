import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Catalogue } from "../../pilot/xds/catalogue.ts";
import type { Lease } from "../../xds/resource-source.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";

/** A client of a catalogue: what it asks for by name, by the short name of the type; all of the others. */
export interface CatalogueClient {
  readonly proxy: Proxy;
  readonly asked?: Readonly<Record<string, NameSet>>;
}

/** Leases as connected streams have them: taken anew with every push, before those from before end. */
export class HeldLeases {
  readonly #catalogue: Catalogue;
  readonly #clients: readonly CatalogueClient[];
  #leases: readonly (readonly Lease[])[] = [];

  constructor(catalogue: Catalogue, clients: readonly CatalogueClient[]) {
    this.#catalogue = catalogue;
    this.#clients = clients;
    this.renew();
  }

  renew(): void {
    const before = this.#leases;
    this.#leases = this.#clients.map(({ proxy, asked = {} }) =>
      this.#catalogue.types.map((type) => this.#catalogue.lease(type, proxy, asked[type.shortName] ?? "all")),
    );
    for (const lease of before.flat()) lease.end();
  }

  end(): void {
    for (const lease of this.#leases.flat()) lease.end();
    this.#leases = [];
  }

  /** Per client every resource with its type, version and owners, in the order in which it is sent. */
  contents(): readonly (readonly string[])[] {
    return this.#leases.map((leases) =>
      leases.flatMap(({ target = [] }, index) => {
        const type = this.#catalogue.types[index]?.shortName;
        const resources = target.flatMap((set) => [...set]);
        return resources.map(({ name, version, owners }) => `${type} ${name} ${version} ${owners.join()}`);
      }),
    );
  }
}
