import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

const defaultConfig = 14;
const concurrency = 16;

/**
 * Returns a MeshConfig in which `defaultConfig.concurrency` is a message, as since Istio 1.7. Before, it was a plain
 * number, and a reader of the message would consume bytes of the following fields. The wire format distinguishes both
 * forms, so this is right for peers of every age. Throws if the bytes are not a message.
 */
export function withConcurrencyMessage(mesh: Uint8Array): Uint8Array {
  return rewritten(mesh, (field, type, reader, writer) => {
    if (field !== defaultConfig || type !== WireType.LengthDelimited) return false;
    writer.tag(field, type).bytes(rewritten(reader.bytes(), wrapConcurrency));
    return true;
  });
}

/** Rewrites a field. Returns false if the field stays unchanged; then it has read nothing. */
type Rewrite = (field: number, type: WireType, reader: BinaryReader, writer: BinaryWriter) => boolean;

const wrapConcurrency: Rewrite = (field, type, reader, writer) => {
  if (field !== concurrency || type !== WireType.Varint) return false;
  writer.tag(field, WireType.LengthDelimited).bytes(new BinaryWriter().tag(1, type).int32(reader.int32()).finish());
  return true;
};

function rewritten(bytes: Uint8Array, rewrite: Rewrite): Uint8Array {
  const reader = new BinaryReader(bytes);
  const writer = new BinaryWriter();
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (!rewrite(field, type, reader, writer)) writer.tag(field, type).raw(reader.skip(type, field));
  }
  return writer.finish();
}
