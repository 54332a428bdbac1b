import { type DescField, type DescMessage, type JsonValue, type MessageShape, toJson } from "@bufbuild/protobuf";
import { TimeSchema } from "#gen/k8s/meta/v1/meta_pb.js";
import { IntOrStringSchema } from "#gen/k8s/util/intstr/intstr_pb.js";
import { isMapping } from "../../lib/is-mapping.ts";
import { inlined } from "./inlined.ts";
import { writeIntOrString, writeTime } from "./kubernetes-json.ts";

/** A message in the form that people write: the inverse of `decode`, with every field in its usual spelling. */
export function toRaw<Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): JsonValue {
  return respelt(schema, toJson(schema, message));
}

type Writer = (json: Readonly<Record<string, JsonValue>>) => JsonValue;

/** Messages that are mappings in protobuf but not in Kubernetes. */
const writers: Readonly<Record<string, Writer>> = {
  [IntOrStringSchema.typeName]: writeIntOrString,
  [TimeSchema.typeName]: writeTime,
};

function respelt(schema: DescMessage, json: JsonValue): JsonValue {
  if (schema.typeName.startsWith("google.protobuf.") || !isJsonMapping(json)) return json;
  const own = writers[schema.typeName];
  if (own !== undefined) return own(json);
  const raw: Record<string, JsonValue> = {};
  for (const field of schema.fields) {
    const value = json[field.jsonName];
    if (value === undefined) continue;
    const written = field.message === undefined ? value : respeltField(field, field.message, value);
    Object.assign(raw, field.jsonName === inlined ? written : { [field.jsonName]: written });
  }
  return raw;
}

function respeltField({ fieldKind }: DescField, schema: DescMessage, value: JsonValue): JsonValue {
  if (fieldKind === "list" && Array.isArray(value)) return value.map((item) => respelt(schema, item));
  if (fieldKind !== "map" || !isJsonMapping(value)) return respelt(schema, value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, respelt(schema, item)]));
}

function isJsonMapping(json: JsonValue): json is Record<string, JsonValue> {
  return isMapping(json);
}
