import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Catalogue } from "../../pilot/xds/catalogue.ts";
import type { Lease } from "../../xds/resource-source.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";

/** A client of a catalogue: what it asks for by name, by the short name of the type; all of the others. */
export interface CatalogueClient {
  readonly proxy: Proxy;
  readonly asked?: Readonly<Record<string, NameSet>>;
}

/** Per client every resource with its type, family, version and owners, in the order in which it is sent. */
export type LeasedContents = readonly (readonly string[])[];

/** Leases as connected streams have them: asked for again with every push, before those that are not prolonged end. */
export class HeldLeases {
  readonly #catalogue: Catalogue;
  readonly #clients: CatalogueClient[];
  #leases: readonly (readonly Lease[])[] = [];

  constructor(catalogue: Catalogue, clients: readonly CatalogueClient[]) {
    this.#catalogue = catalogue;
    this.#clients = [...clients];
    this.renew();
  }

  /** One more client, which has just come. */
  add(client: CatalogueClient): void {
    this.#clients.push(client);
    this.#leases = [...this.#leases, this.#leasesOf(client)];
  }

  renew(): void {
    const before = this.#leases;
    this.#leases = this.#clients.map((client, index) => this.#leasesOf(client, before[index]));
    const kept = new Set(this.#leases.flat());
    for (const lease of before.flat()) if (!kept.has(lease)) lease.end();
  }

  end(): void {
    for (const lease of this.#leases.flat()) lease.end();
    this.#leases = [];
  }

  contents(): LeasedContents {
    return this.#leases.map((leases) => leases.flatMap(contentsOf));
  }

  #leasesOf({ proxy, asked = {} }: CatalogueClient, before: readonly Lease[] = []): readonly Lease[] {
    return this.#catalogue.types.map((type, index) =>
      this.#catalogue.lease(type, proxy, asked[type.shortName] ?? "all", before[index]),
    );
  }
}

/** A name that stands in two parts is a bug of its own, and is seen by its second family. */
function contentsOf({ id, target = [] }: Lease): readonly string[] {
  const parts = id.split("\n").map((key) => key.split(" ", 2).join(" "));
  return target.flatMap((set, index) =>
    Array.from(set, ({ name, version, owners }) => `${parts[index]} ${name} ${version} ${owners.join()}`),
  );
}
