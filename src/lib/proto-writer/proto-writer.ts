import type { DescMessage, Message, MessageShape } from "@bufbuild/protobuf";
import { oncePer } from "../memo.ts";
import { BackwardBuffer } from "./proto-writer-buffer.ts";
import { compileMessage, type MessageWriter } from "./proto-writer-compile.ts";

/**
 * A message as a plain, read-only object. It accepts everything that `create(schema, …)` accepts. The value `undefined`
 * means "not set". So all literals of one kind can have the same keys in the same order, which is fast. Encoded bytes
 * may replace any message in it.
 */
export type MessageLiteral<Desc extends DescMessage> = Literal<MessageShape<Desc>>;

type Literal<T extends Message> = {
  readonly [Name in Exclude<keyof T, keyof Message>]?: FieldLiteral<T[Name]> | undefined;
};

type FieldLiteral<F> = F extends Message
  ? Literal<F> | Uint8Array
  : F extends readonly (infer Item)[]
    ? readonly FieldLiteral<Item>[]
    : F extends { readonly case: infer Case; readonly value: infer Value extends Message }
      ? { readonly case: Case; readonly value: Literal<Value> | Uint8Array }
      : F extends { readonly [key: string]: infer Value extends Message }
        ? { readonly [key: string]: Literal<Value> | Uint8Array }
        : F;

/**
 * Encodes message literals with functions compiled from protobuf-es descriptors. The bytes are those of
 * `toBinary(schema, create(schema, literal))`, at a fraction of the cost. Two things differ. Map entries are sorted by
 * key, so equal messages have equal bytes. Unknown fields of decoded messages are dropped.
 */
export class ProtoWriter {
  readonly #out = new BackwardBuffer();
  #encodings = 0;

  /** Number of encoded messages. Tests use it to prove that shared parts are not encoded again. */
  get encodings(): number {
    return this.#encodings;
  }

  /** The bytes of the message. Throws when a number does not fit its field. */
  encode<Desc extends DescMessage>(schema: Desc, message: MessageLiteral<Desc>): Uint8Array {
    this.#write(schema, message);
    return this.#out.toBytes();
  }

  /** The bytes of a `google.protobuf.Any` that holds the message. They may replace an Any in a literal. */
  any<Desc extends DescMessage>(schema: Desc, message: MessageLiteral<Desc>): Uint8Array {
    this.#writeAny(schema, message);
    return this.#out.toBytes();
  }

  /** The same Any as the only value of a field. A large message is copied once less. */
  anyField<Desc extends DescMessage>(tag: number, schema: Desc, message: MessageLiteral<Desc>): Uint8Array {
    this.#writeAny(schema, message);
    this.#out.delimit(tag, 0);
    return this.#out.toBytes();
  }

  #writeAny(schema: DescMessage, message: object): void {
    this.#write(schema, message);
    if (this.#out.length > 0) this.#out.delimit(anyTag.value, 0);
    this.#out.string(`type.googleapis.com/${schema.typeName}`);
    this.#out.varint(anyTag.typeUrl);
  }

  #write(schema: DescMessage, message: object): void {
    this.#encodings++;
    this.#out.clear();
    writerFor(schema)(this.#out, message as Readonly<Record<string, unknown>>);
  }
}

/** Descriptors never change, so one compiled writer serves all callers. */
const writerFor: (desc: DescMessage) => MessageWriter = oncePer((desc) => compileMessage(desc, writerFor));

const anyTag = { typeUrl: 0x0a, value: 0x12 } as const;
