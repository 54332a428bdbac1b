import { create, type JsonValue, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { good, type ValueResult, wrongType } from "./value-result.ts";

type Mapping = Readonly<Record<string, JsonValue>>;

const int32Max = 2 ** 31 - 1;

/** A port or an amount as a number or a name: `8080` or `http`. */
export function readIntOrString(raw: unknown): ValueResult {
  if (typeof raw === "string") return good({ type: "1", strVal: raw });
  const isInt32 = typeof raw === "number" && Number.isInteger(raw) && Math.abs(raw) <= int32Max;
  return isInt32 ? good({ type: "0", intVal: raw }) : wrongType("a whole number or text", raw);
}

export function writeIntOrString({ type, intVal = 0, strVal = "" }: Mapping): JsonValue {
  return type === "1" ? strVal : intVal;
}

/** Times of Kubernetes are texts in JSON and seconds on the wire. */
export function readTime(raw: unknown): ValueResult {
  const ms = typeof raw === "string" ? Date.parse(raw) : Number.NaN;
  if (Number.isNaN(ms)) return wrongType("a time such as 2024-05-17T08:30:00Z", raw);
  const seconds = Math.floor(ms / 1000);
  return good({ seconds: String(seconds), nanos: (ms - seconds * 1000) * 1_000_000 });
}

export function writeTime({ seconds = "0", nanos = 0 }: Mapping): JsonValue {
  const time = create(TimestampSchema, { seconds: BigInt(Number(seconds)), nanos: Number(nanos) });
  return toJson(TimestampSchema, time);
}
