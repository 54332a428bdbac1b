import { scanFields, textLength, varintLength, WireWriter } from "./wire-format.ts";

/** The complete `resources` entry of a DiscoveryResponse around an encoded Any: tag 2, length, Any. */
export function entryAround(any: Uint8Array): Uint8Array {
  const { bytes: head } = new WireWriter(1 + varintLength(any.length)).header(2, any.length);
  // The entry lives as long as its resource. A slice would keep a whole buffer pool alive.
  const entry = new Uint8Array(head.length + any.length);
  entry.set(head);
  entry.set(any, head.length);
  return entry;
}

/** The same entry around a message of this type: the Any is type URL 1 and value 2. */
export function entryOf(typeUrl: string, message: Uint8Array): Uint8Array {
  const head = new WireWriter(textLength(typeUrl) + 1 + varintLength(message.length));
  head.text(1, typeUrl).header(2, message.length);
  return entryAround(Buffer.concat([head.bytes, message]));
}

/** The encoded Any inside an entry. */
export function anyIn(entry: Uint8Array): Uint8Array {
  let any: Uint8Array = new Uint8Array();
  scanFields(entry, (_resources, start, end) => {
    any = entry.subarray(start, end);
  });
  return any;
}
