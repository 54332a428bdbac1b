import type { McpCollection } from "../../../mcp/collections.ts";
import { fallbackFor, isFallback } from "../remote/received-collections.ts";
import { istioGalleyOf, lackedBy } from "./istio-galley.ts";

/**
 * The collections to request from a Galley: all wanted ones, without those it turned out to lack. A Galley of another
 * version may have more, for example policies. So it is asked for everything again.
 */
export class OfferedCollections {
  #wanted: readonly McpCollection[];
  #offered: readonly McpCollection[];
  /** The Galley that lacks something. Undefined while nothing is missing. */
  #lacking: { readonly version: string | undefined } | undefined;

  constructor(wanted: readonly McpCollection[]) {
    this.#wanted = wanted;
    this.#offered = wanted;
  }

  get all(): readonly McpCollection[] {
    return this.#offered;
  }

  has(name: string): boolean {
    return this.#offered.some((collection) => collection.name === name);
  }

  /** The wanted collections that a Galley of this version is known to lack. Empty for unknown versions. */
  missingAt(version: string | undefined): readonly string[] {
    const galley = istioGalleyOf(version);
    if (galley === undefined) return [];
    const asked = this.#offered.filter((collection) => !isFallback(collection));
    return lackedBy(galley, asked);
  }

  /** A Galley lacks a collection: its fallback, if there is one, is requested instead. */
  lack(lacking: string, version?: string): McpCollection | undefined {
    const fallback = fallbackFor(lacking);
    const others = this.#offered.filter(({ name }) => name !== lacking);
    this.#offered = fallback === undefined ? others : [...others, fallback];
    this.#lacking = { version };
    return fallback;
  }

  /** Makes the current offer the one for every Galley. */
  keep(): void {
    this.#wanted = this.#offered;
    this.#lacking = undefined;
  }

  /** Offers everything again if this version differs from the one that lacked something. Returns whether it does. */
  renew(version: string | undefined): boolean {
    if (this.#lacking === undefined || version === undefined || version === this.#lacking.version) return false;
    this.#offered = this.#wanted;
    this.#lacking = undefined;
    return true;
  }
}
