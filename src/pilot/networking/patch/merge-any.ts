import { fromBinary, type Message, type MessageShape } from "@bufbuild/protobuf";
import type { Any, AnySchema } from "@bufbuild/protobuf/wkt";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { envoyRegistry } from "./envoy-registry.ts";
import { mergeMessage } from "./merge-message.ts";
import { PatchError } from "./patch-error.ts";

/** Unpacks both messages, merges them, and packs the result. Throws a `PatchError` if their types differ. */
export function mergeAny(target: Any, source: Any, writer: ProtoWriter): Any {
  if (target.typeUrl !== source.typeUrl) {
    throw new PatchError(
      "typed_config",
      `has the type ${typeNameOf(source)}, and the configuration to merge with has ${typeNameOf(target)}`,
    );
  }
  const { desc, message } = unpack(target);
  mergeMessage(desc, message, unpack(source).message);
  return packed(target.typeUrl, writer.encode(desc, message));
}

/** The message in an Any. Throws a `PatchError` for a type that Binnacle does not know. */
function unpack(any: Any) {
  const desc = envoyRegistry().getMessage(typeNameOf(any));
  if (desc === undefined) throw new PatchError("typed_config", `has the unknown type ${typeNameOf(any)}`);
  return { desc, message: fromBinary(desc, any.value) as Message };
}

export function packed(typeUrl: string, value: Uint8Array): MessageShape<typeof AnySchema> {
  return { $typeName: "google.protobuf.Any", typeUrl, value };
}

export function typeNameOf({ typeUrl }: Any): string {
  return typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
}
