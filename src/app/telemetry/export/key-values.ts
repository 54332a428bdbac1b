import { create } from "@bufbuild/protobuf";
import {
  type AnyValue,
  AnyValueSchema,
  ArrayValueSchema,
  type KeyValue,
  KeyValueSchema,
} from "#gen/opentelemetry/proto/common/v1/common_pb.js";
import { type Resource, ResourceSchema } from "#gen/opentelemetry/proto/resource/v1/resource_pb.js";
import type { Attributes, AttributeValue } from "../trace/span.ts";

/** Attributes as OTLP has them. */
export function keyValues(attributes: Attributes): KeyValue[] {
  return Object.entries(attributes).map(([key, value]) => create(KeyValueSchema, { key, value: anyValue(value) }));
}

export function resourceOf(attributes: Attributes): Resource {
  return create(ResourceSchema, { attributes: keyValues(attributes) });
}

function anyValue(value: AttributeValue): AnyValue {
  if (typeof value === "string") return create(AnyValueSchema, { value: { case: "stringValue", value } });
  if (typeof value === "boolean") return create(AnyValueSchema, { value: { case: "boolValue", value } });
  if (typeof value === "number") {
    return Number.isSafeInteger(value)
      ? create(AnyValueSchema, { value: { case: "intValue", value: BigInt(value) } })
      : create(AnyValueSchema, { value: { case: "doubleValue", value } });
  }
  const values = value.map(anyValue);
  return create(AnyValueSchema, { value: { case: "arrayValue", value: create(ArrayValueSchema, { values }) } });
}

/** Milliseconds since the epoch as nanoseconds. A number cannot hold so many digits. */
export function unixNanos(epochMs: number): bigint {
  const whole = Math.floor(epochMs);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((epochMs - whole) * 1_000_000));
}
