import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import type { Kind } from "../../config/kind.ts";
import type { JsonTree } from "./mutate-tree.ts";
import type { Random } from "./random.ts";

/** An object of a kind with many of its fields set to something: well-formed, if not always sensible. */
export function sampleObject(kind: Kind, random: Random): JsonTree {
  const apiVersion = [kind.group, kind.versions[0] ?? ""].filter((part) => part !== "").join("/");
  const metadata = { name: random.pick(["sample", "other"]), ...(kind.scope === "namespace" && { namespace: "shop" }) };
  const content = messageOf(kind.schema, random, 5);
  const body = kind.body === "object" ? content : { spec: content };
  return { ...body, apiVersion, kind: kind.kind, metadata };
}

function messageOf(desc: DescMessage, random: Random, depth: number): { [key: string]: JsonTree } {
  const oneofs = new Set<string>();
  const message: { [key: string]: JsonTree } = {};
  for (const field of desc.fields) {
    if (random.once(3) || (depth === 0 && field.message !== undefined)) continue;
    if (field.oneof !== undefined && oneofs.has(field.oneof.name)) continue;
    if (field.oneof !== undefined) oneofs.add(field.oneof.name);
    message[field.jsonName] = fieldOf(field, random, depth - 1);
  }
  return message;
}

function fieldOf(field: DescField, random: Random, depth: number): JsonTree {
  const value = () => valueOf(field, random, depth);
  if (field.fieldKind === "list") return Array.from({ length: 1 + random.below(2) }, value);
  if (field.fieldKind === "map") return { [field.mapKey === ScalarType.STRING ? "app" : "1"]: value() };
  return value();
}

function valueOf(field: DescField, random: Random, depth: number): JsonTree {
  if (field.enum !== undefined) return random.pick(field.enum.values).name;
  if (field.message === undefined) return scalarOf(field, random);
  const known = wellKnown.get(field.message.typeName);
  return known === undefined ? messageOf(field.message, random, depth) : known;
}

const wellKnown: ReadonlyMap<string, JsonTree> = new Map<string, JsonTree>([
  ["google.protobuf.Duration", "5s"],
  ["google.protobuf.Timestamp", "2026-01-01T00:00:00Z"],
  ["google.protobuf.Struct", { a: 1 }],
  ["google.protobuf.Value", "a"],
  ["google.protobuf.BoolValue", true],
  ["google.protobuf.UInt32Value", 5],
  ["google.protobuf.Int32Value", 5],
  ["google.protobuf.UInt64Value", "5"],
  ["google.protobuf.Int64Value", "5"],
  ["google.protobuf.DoubleValue", 5],
  ["google.protobuf.StringValue", "a"],
  ["google.protobuf.Any", { "@type": "type.googleapis.com/google.protobuf.Duration", value: "5s" }],
]);

function scalarOf({ scalar, jsonName }: DescField, random: Random): JsonTree {
  if (scalar === ScalarType.BOOL) return random.once(2);
  if (scalar === ScalarType.BYTES) return "YQ==";
  if (scalar !== ScalarType.STRING) return random.pick([1, 80, 8080]);
  if (/host/iu.test(jsonName)) return random.pick(["reviews.shop.svc.cluster.local", "*.example.com"]);
  if (/address|ip|cidr/iu.test(jsonName)) return random.pick(["10.0.0.1", "10.0.0.0/8"]);
  if (/protocol/iu.test(jsonName)) return random.pick(["HTTP", "TCP", "TLS"]);
  return random.pick(["sample", "a", "80", "/path"]);
}
