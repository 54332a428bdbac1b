import { hashText } from "../../lib/hash.ts";
import type { Lease } from "../resource-source.ts";

/**
 * The class of a stream: streams of one class get the same bytes, so the server serves them one after the other. Leases
 * rarely change, and their names are long. So the name of the class is a hash, made again only for other leases.
 */
export class StreamClass {
  #leases: readonly Lease[] = [];
  #id = "";

  /** Names the class of a stream with these watches. */
  idOf(watches: ReadonlyMap<string, { readonly lease: Lease }>): string {
    if (this.#isOf(watches)) return this.#id;
    this.#leases = Array.from(watches.values(), ({ lease }) => lease);
    this.#id = hashText(this.#leases.map(({ id }) => id).join("\n"));
    return this.#id;
  }

  #isOf(watches: ReadonlyMap<string, { readonly lease: Lease }>): boolean {
    if (watches.size !== this.#leases.length) return false;
    let index = 0;
    for (const { lease } of watches.values()) if (lease !== this.#leases[index++]) return false;
    return true;
  }
}
