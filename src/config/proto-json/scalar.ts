import { ScalarType } from "@bufbuild/protobuf";
import { bad, good, type ValueResult, wrongType } from "./value-result.ts";

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

const int32: Range = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const uint32: Range = { min: 0n, max: 2n ** 32n - 1n };
const int64: Range = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const uint64: Range = { min: 0n, max: 2n ** 64n - 1n };

/** Reads one scalar by the rules of protobuf's JSON mapping. */
export function readScalar(type: ScalarType, raw: unknown): ValueResult {
  return readers[type](raw);
}

function readString(raw: unknown): ValueResult {
  if (typeof raw === "string") return good(raw);
  const quotable = typeof raw === "number" || typeof raw === "boolean";
  return wrongType("text", raw, quotable ? `put it in quotes: "${raw}"` : undefined);
}

/** YAML 1.1 reads these as booleans, and many files still rely on it. */
const oldBooleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["false", false],
  ["no", false],
  ["off", false],
]);

function readBool(raw: unknown): ValueResult {
  if (typeof raw === "boolean") return good(raw);
  const meant = typeof raw === "string" ? oldBooleans.get(raw.toLowerCase()) : undefined;
  return wrongType("true or false", raw, meant === undefined ? undefined : `write ${meant} without quotes`);
}

const base64 = /^[\w+/-]*={0,2}$/u;

function readBytes(raw: unknown): ValueResult {
  return typeof raw === "string" && base64.test(raw) ? good(raw) : wrongType("bytes in base64", raw);
}

function readFloat(raw: unknown): ValueResult {
  const value = typeof raw === "string" && raw.trim() !== "" ? Number(raw) : raw;
  return typeof value === "number" && Number.isFinite(value) ? good(value) : wrongType("a number", raw);
}

function readInteger(raw: unknown, range: Range): ValueResult {
  const value = integerOf(raw);
  if (value === undefined) return wrongType(typeof raw === "number" ? "a whole number" : "a number", raw);
  if (value < range.min) return bad("out-of-range", `must be at least ${range.min}, found ${value}`);
  if (value > range.max) return bad("out-of-range", `must be at most ${range.max}, found ${value}`);
  return good(value.toString());
}

function integerOf(raw: unknown): bigint | undefined {
  if (typeof raw === "number") return Number.isInteger(raw) ? BigInt(raw) : undefined;
  return typeof raw === "string" && /^-?(?:0|[1-9]\d*)$/u.test(raw) ? BigInt(raw) : undefined;
}

const readers: Readonly<Record<ScalarType, (raw: unknown) => ValueResult>> = {
  [ScalarType.STRING]: readString,
  [ScalarType.BOOL]: readBool,
  [ScalarType.BYTES]: readBytes,
  [ScalarType.DOUBLE]: readFloat,
  [ScalarType.FLOAT]: readFloat,
  [ScalarType.INT32]: (raw) => readInteger(raw, int32),
  [ScalarType.SINT32]: (raw) => readInteger(raw, int32),
  [ScalarType.SFIXED32]: (raw) => readInteger(raw, int32),
  [ScalarType.UINT32]: (raw) => readInteger(raw, uint32),
  [ScalarType.FIXED32]: (raw) => readInteger(raw, uint32),
  [ScalarType.INT64]: (raw) => readInteger(raw, int64),
  [ScalarType.SINT64]: (raw) => readInteger(raw, int64),
  [ScalarType.SFIXED64]: (raw) => readInteger(raw, int64),
  [ScalarType.UINT64]: (raw) => readInteger(raw, uint64),
  [ScalarType.FIXED64]: (raw) => readInteger(raw, uint64),
};
