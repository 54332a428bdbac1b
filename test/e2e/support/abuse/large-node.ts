import { varintLength, WireWriter } from "../../../../src/xds/wire/wire-format.ts";

function field(number: number, content: Uint8Array): Buffer {
  const head = new WireWriter(1 + varintLength(content.length)).header(number, content.length).bytes;
  return Buffer.concat([head, content]);
}

/** A list's value: an empty object. */
const emptyObject = field(1, field(5, Buffer.alloc(0)));

/** A node whose metadata of so many bytes is nothing but empty objects: decoded, each takes a hundred times its bytes. */
export function largeNode(id: string, bytes: number): Buffer {
  const list = Buffer.alloc(bytes - (bytes % emptyObject.length), emptyObject);
  const entry = Buffer.concat([field(1, Buffer.from("PROXY_CONFIG")), field(2, field(6, list))]);
  return Buffer.concat([field(1, Buffer.from(id)), field(3, field(1, entry))]);
}

/** The first request of a state-of-the-world stream, with this node. */
export function requestOf(node: Uint8Array, typeUrl: string): Buffer {
  return Buffer.concat([field(2, node), field(4, Buffer.from(typeUrl))]);
}
