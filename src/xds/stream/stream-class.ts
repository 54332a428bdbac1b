import { hashText } from "../../lib/hash.ts";
import type { Lease } from "../resource-source.ts";

/**
 * The class of a stream: streams of one class get the same bytes, so the server serves them one after the other. Leases
 * rarely change, and their names are long. So the name of the class is a hash, made again only for other leases.
 */
export class StreamClass {
  #leases: readonly Lease[] = [];
  #id = "";

  /** Names the class of a stream with these leases. */
  idOf(leases: readonly Lease[]): string {
    const before = this.#leases;
    if (leases.length === before.length && leases.every((lease, index) => lease === before[index])) return this.#id;
    this.#leases = leases;
    this.#id = hashText(leases.map(({ id }) => id).join("\n"));
    return this.#id;
  }
}
