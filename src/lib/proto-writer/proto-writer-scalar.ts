import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import type { BackwardBuffer } from "./proto-writer-buffer.ts";

/** How one scalar type is written on the wire. Values come from typed literals, so their types are right. */
export interface Scalar {
  readonly wireType: WireType;
  /** Writes the bare value. Throws with the name of the field if a number does not fit. */
  readonly write: (out: BackwardBuffer, value: unknown, field: DescField) => void;
  /** Whether a field without presence omits this value. */
  readonly isZero: (value: unknown) => boolean;
}

const isZeroNumber = (value: unknown): boolean => value === 0;
const isZeroBigint = (value: unknown): boolean => value === 0n;
/** Negative zero is a separate value. */
const isZeroFloat = (value: unknown): boolean => Object.is(value, 0);

function int32(value: unknown, field: DescField): number {
  const number = value as number;
  if ((number | 0) !== number) throw new RangeError(`${field.toString()}: ${number} is not a 32-bit integer`);
  return number;
}

function uint32(value: unknown, field: DescField): number {
  const number = value as number;
  if (number >>> 0 !== number) throw new RangeError(`${field.toString()}: ${number} is not an unsigned 32-bit integer`);
  return number;
}

function int64(value: unknown, field: DescField): bigint {
  const integer = value as bigint;
  if (BigInt.asIntN(64, integer) !== integer) throw new RangeError(`${field.toString()}: ${integer} is too large`);
  return integer;
}

function uint64(value: unknown, field: DescField): bigint {
  const integer = value as bigint;
  if (BigInt.asUintN(64, integer) !== integer) throw new RangeError(`${field.toString()}: ${integer} is too large`);
  return integer;
}

/** The wire has no negative varints: they are written as 64-bit values. */
function writeInt32(out: BackwardBuffer, value: unknown, field: DescField): void {
  const number = int32(value, field);
  if (number < 0) out.varint64(BigInt.asUintN(64, BigInt(number)));
  else out.varint(number);
}

const varint = WireType.Varint;
const delimited = WireType.LengthDelimited;

export const scalars: Readonly<Record<ScalarType, Scalar>> = {
  [ScalarType.STRING]: {
    wireType: delimited,
    write: (out, value) => out.string(value as string),
    isZero: (value) => value === "",
  },
  [ScalarType.BYTES]: {
    wireType: delimited,
    write: (out, value) => out.bytes(value as Uint8Array),
    isZero: (value) => (value as Uint8Array).length === 0,
  },
  [ScalarType.BOOL]: {
    wireType: varint,
    write: (out, value) => out.varint(value === true ? 1 : 0),
    isZero: (value) => value === false,
  },
  [ScalarType.INT32]: { wireType: varint, write: writeInt32, isZero: isZeroNumber },
  [ScalarType.UINT32]: {
    wireType: varint,
    write: (out, value, field) => out.varint(uint32(value, field)),
    isZero: isZeroNumber,
  },
  [ScalarType.SINT32]: {
    wireType: varint,
    write: (out, value, field) => {
      const number = int32(value, field);
      out.varint(((number << 1) ^ (number >> 31)) >>> 0);
    },
    isZero: isZeroNumber,
  },
  [ScalarType.INT64]: {
    wireType: varint,
    write: (out, value, field) => out.varint64(BigInt.asUintN(64, int64(value, field))),
    isZero: isZeroBigint,
  },
  [ScalarType.UINT64]: {
    wireType: varint,
    write: (out, value, field) => out.varint64(uint64(value, field)),
    isZero: isZeroBigint,
  },
  [ScalarType.SINT64]: {
    wireType: varint,
    write: (out, value, field) => {
      const integer = int64(value, field);
      out.varint64(BigInt.asUintN(64, (integer << 1n) ^ (integer >> 63n)));
    },
    isZero: isZeroBigint,
  },
  [ScalarType.FIXED32]: {
    wireType: WireType.Bit32,
    write: (out, value, field) => out.fixed32(uint32(value, field)),
    isZero: isZeroNumber,
  },
  [ScalarType.SFIXED32]: {
    wireType: WireType.Bit32,
    write: (out, value, field) => out.fixed32(int32(value, field) >>> 0),
    isZero: isZeroNumber,
  },
  [ScalarType.FIXED64]: {
    wireType: WireType.Bit64,
    write: (out, value, field) => out.fixed64(uint64(value, field)),
    isZero: isZeroBigint,
  },
  [ScalarType.SFIXED64]: {
    wireType: WireType.Bit64,
    write: (out, value, field) => out.fixed64(BigInt.asUintN(64, int64(value, field))),
    isZero: isZeroBigint,
  },
  [ScalarType.FLOAT]: {
    wireType: WireType.Bit32,
    write: (out, value) => out.float(value as number),
    isZero: isZeroFloat,
  },
  [ScalarType.DOUBLE]: {
    wireType: WireType.Bit64,
    write: (out, value) => out.double(value as number),
    isZero: isZeroFloat,
  },
};

/** The typed value of a map key, which JavaScript keeps as text. */
export function mapKey(type: ScalarType, key: string): unknown {
  if (type === ScalarType.STRING) return key;
  if (type === ScalarType.BOOL) return key === "true";
  return scalars[type].isZero(0n) ? BigInt(key) : Number(key);
}
