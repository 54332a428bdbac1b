import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Lease, ResourceSource } from "../../xds/resource-source.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";

/** The resources before a change, and after {@link switch} the resources after it. */
export class SwitchedSource implements ResourceSource<Proxy> {
  readonly #before: ResourceSource<Proxy>;
  readonly #after: ResourceSource<Proxy>;
  readonly #splitFrom: (proxy: Proxy) => number | undefined;
  #now: ResourceSource<Proxy>;

  constructor(
    before: ResourceSource<Proxy>,
    after: ResourceSource<Proxy>,
    splitFrom: (proxy: Proxy) => number | undefined,
  ) {
    this.#before = before;
    this.#after = after;
    this.#now = before;
    this.#splitFrom = splitFrom;
  }

  get types(): readonly ResourceType[] {
    return this.#before.types;
  }

  splitFrom(proxy: Proxy): number | undefined {
    return this.#splitFrom(proxy);
  }

  switch(): void {
    this.#now = this.#after;
  }

  /** A lease of the one mesh is never prolonged in the other. */
  lease(type: ResourceType, proxy: Proxy, asked: NameSet | "all"): Lease {
    return this.#now.lease(type, proxy, asked);
  }
}
