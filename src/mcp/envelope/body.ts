import { type DescMessage, fromBinary, isMessage } from "@bufbuild/protobuf";
import type { Config } from "../../config/config.ts";
import { contentVersion } from "../../config/content-version.ts";
import { assert } from "../../lib/assert.ts";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";

/** The encoding of the specs of one collection: the message type, the encoder and the decoder. */
export interface Body {
  /** `type.googleapis.com/` and the name of the message. */
  readonly typeUrl: string;
  /** Whether this spec has the type of the collection (WIRE-2). */
  fits(spec: unknown): boolean;
  /** The bytes of a `google.protobuf.Any` with the spec. Throws when a number does not fit its field. */
  encode(spec: unknown): Uint8Array;
  /** Throws on bytes that are no such message. */
  decode(value: Uint8Array): unknown;
  /** The version that our own Galley would give the object: a hash of its content. */
  versionOf(content: Omit<Config, "version">): string;
}

/** Equal specs have equal bytes, because the writer sorts maps. */
export const bodyWriter = new ProtoWriter();

export function typeUrlOf(schema: DescMessage): string {
  return `type.googleapis.com/${schema.typeName}`;
}

/** The encoding of a spec that is already a message, as in all kinds. */
export function messageBody(schema: DescMessage): Body {
  const fits = (spec: unknown) => isMessage(spec, schema);
  return {
    typeUrl: typeUrlOf(schema),
    fits,
    encode(spec) {
      assert(fits(spec), `only ${schema.typeName} is encoded as such`);
      return bodyWriter.any(schema, spec);
    },
    decode: (value) => fromBinary(schema, value),
    versionOf({ spec, ...around }) {
      assert(fits(spec), `only ${schema.typeName} is hashed as such`);
      return contentVersion({ ...around, spec }, schema);
    },
  };
}
