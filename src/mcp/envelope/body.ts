import { type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import type { Config } from "../../config/config.ts";
import { contentVersion } from "../../config/content-version.ts";
import { assert } from "../../lib/assert.ts";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";

/** How the specs of one collection travel: as which message, and how they become it and are read again. */
export interface Body {
  /** `type.googleapis.com/` and the name of the message. */
  readonly typeUrl: string;
  /** Whether this is such a spec: a collection holds nothing else (WIRE-2). */
  fits(spec: unknown): boolean;
  /** The bytes of a `google.protobuf.Any` around it. Throws when a number does not fit its field. */
  encode(spec: unknown): Uint8Array;
  /** Throws on bytes that are no such message. */
  decode(value: Uint8Array): unknown;
  /** What our own Galley would give the object as its version: a hash of all it means. */
  versionOf(content: Omit<Config, "version">): string;
}

/** Equal specs have equal bytes: the writer sorts maps. */
export const bodyWriter = new ProtoWriter();

export function typeUrlOf(schema: DescMessage): string {
  return `type.googleapis.com/${schema.typeName}`;
}

/** A spec that is a message already, as those of all kinds are. */
export function messageBody(schema: DescMessage): Body {
  const fits = (spec: unknown): spec is Message =>
    typeof spec === "object" && spec !== null && "$typeName" in spec && spec.$typeName === schema.typeName;
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
