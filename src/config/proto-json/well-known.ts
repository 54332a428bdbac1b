import { type DescMessage, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { TimeSchema } from "#gen/k8s/meta/v1/meta_pb.js";
import { IntOrStringSchema } from "#gen/k8s/util/intstr/intstr_pb.js";
import { isTooDeepValue } from "../../lib/json-depth.ts";
import { formatDuration, parseDuration } from "../grammar/duration.ts";
import { readIntOrString, readTime } from "./kubernetes-json.ts";
import { readScalar } from "./scalar.ts";
import { bad, good, show, type ValueResult, wrongType } from "./value-result.ts";

type Reader = (raw: unknown) => ValueResult;

/** The reader of a message with a special JSON form; undefined for ordinary messages. */
export function wellKnownReader(schema: DescMessage): Reader | undefined {
  const own = readers[schema.typeName];
  if (own !== undefined) return own;
  if (isWrapperDesc(schema)) {
    const [value] = schema.fields;
    return value?.fieldKind === "scalar" ? (raw) => readScalar(value.scalar, raw) : undefined;
  }
  const expected = expectations[schema.typeName];
  return expected === undefined ? undefined : (raw) => readByDecoding(schema, expected, raw);
}

const readers: Readonly<Record<string, Reader>> = {
  "google.protobuf.Duration": readDuration,
  [IntOrStringSchema.typeName]: readIntOrString,
  [TimeSchema.typeName]: readTime,
};

const expectations: Readonly<Record<string, string>> = {
  "google.protobuf.Timestamp": "a time such as 2024-05-17T08:30:00Z",
  "google.protobuf.FieldMask": "field names separated by commas",
  "google.protobuf.Struct": "a mapping without .nan and .inf",
  "google.protobuf.ListValue": "a list without .nan and .inf",
  "google.protobuf.Value": "a value other than .nan and .inf",
};

/** Istio has always accepted Go's notation (`100ms`, `1h`). We accept it too, and convert it to protobuf's notation. */
function readDuration(raw: unknown): ValueResult {
  const expected = "a duration such as 5s, 100ms or 1h";
  const nanos = typeof raw === "string" ? parseDuration(raw) : undefined;
  const hint = typeof raw === "number" ? `write the unit, as in ${raw}s` : undefined;
  if (nanos === undefined) return bad("bad-duration", `expected ${expected}, found ${show(raw)}`, hint);
  return good(formatDuration(nanos));
}

/** The largest depth of a Struct in protobuf. */
const maxStructDepth = 99;

/** Some values can be read but not written again: YAML has numbers that JSON does not have. */
function readByDecoding(schema: DescMessage, expected: string, raw: unknown): ValueResult {
  try {
    toJson(schema, fromJson(schema, raw as JsonValue));
    return good(raw as JsonValue);
  } catch {
    if (isTooDeepValue(raw, maxStructDepth)) {
      return bad("too-complex", `this is nested more than ${maxStructDepth} levels deep`);
    }
    return wrongType(expected, raw);
  }
}
