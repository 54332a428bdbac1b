import { hash64 } from "../../lib/hash.ts";
import { invalid, type Refusal } from "../admission.ts";
import { scanFields } from "../wire/wire-format.ts";

/**
 * Checks that a stream keeps the node of its first message. Envoy may repeat the node, 60 kB, in every message. So
 * equal bytes are recognised by their hash, and from other bytes only the id is read.
 */
export class NodeGuard {
  #hash: bigint | undefined;
  #id = "";

  /** The error in the node of a later message, if there is one. */
  fault(node: Uint8Array | undefined): Refusal | undefined {
    if (node === undefined) return undefined;
    const hash = hash64(node);
    if (hash === this.#hash) return undefined;
    const id = idOf(node);
    const changed = this.#hash !== undefined && id !== this.#id;
    if (changed) return invalid(`the node changed from "${this.#id}" to "${id}": a stream belongs to one node`);
    this.#hash = hash;
    this.#id = id;
    return undefined;
  }
}

/** Field 1 of `envoy.config.core.v3.Node`, and of the v2 Node. */
function idOf(node: Uint8Array): string {
  const bytes = Buffer.from(node.buffer, node.byteOffset, node.length);
  let id = "";
  scanFields(bytes, (field, start, end) => {
    if (field === 1) id = bytes.toString("utf8", start, end);
  });
  return id;
}
