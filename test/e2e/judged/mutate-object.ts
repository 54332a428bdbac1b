import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { isMapping } from "../../../src/lib/is-mapping.ts";
import type { Tree } from "../../../src/testing/random/mutate-tree.ts";
import type { Random } from "../../../src/testing/random/random.ts";

type Mapping = { [key: string]: Tree };

/** A part of an object, with the message that it is. */
interface Part {
  readonly desc: DescMessage;
  readonly value: Mapping;
}

/** The same message with one to three of its fields, at any depth, set to something at the border of what they take. */
export function mutateMessage(desc: DescMessage, original: Mapping, random: Random): Mapping {
  const value = structuredClone(original);
  for (let count = 1 + random.below(3); count > 0; count -= 1)
    change(random.pick([...partsOf({ desc, value })]), random);
  return value;
}

/** The message and all messages in it. */
function* partsOf(part: Part): Generator<Part> {
  yield part;
  for (const field of part.desc.fields) {
    const value = part.value[field.jsonName];
    if (field.message === undefined || value === undefined || isScalar(field.message)) continue;
    const values = field.fieldKind === "list" && Array.isArray(value) ? value : [value];
    const inner = field.fieldKind === "map" && isMapping(value) ? Object.values(value) : values;
    for (const each of inner) if (isMapping(each)) yield* partsOf({ desc: field.message, value: each });
  }
}

function change({ desc, value }: Part, random: Random): void {
  if (desc.fields.length === 0) return;
  const isSet = (field: DescField) => value[field.jsonName] !== undefined;
  const written = desc.fields.filter(isSet);
  const field = random.pick(written.length > 0 && !random.once(3) ? written : desc.fields);
  const rivals = field.oneof?.fields ?? [];
  for (const rival of rivals) if (rival !== field) Reflect.deleteProperty(value, rival.jsonName);
  const before = value[field.jsonName];
  if (before !== undefined && random.once(12)) Reflect.deleteProperty(value, field.jsonName);
  else if (field.fieldKind === "list")
    value[field.jsonName] = changedList(field, Array.isArray(before) ? before : [], random);
  else if (field.fieldKind === "map")
    value[field.jsonName] = changedMap(field, isMapping(before) ? before : {}, random);
  else value[field.jsonName] = oddValue(field, before, random);
}

function changedList(field: DescField, list: readonly Tree[], random: Random): Tree[] {
  const copy = [...list];
  const at = random.below(list.length + 1);
  const doubled = list[at];
  if (doubled !== undefined && random.once(3)) copy.splice(at, 0, structuredClone(doubled));
  else if (random.once(6)) copy.splice(at, 1);
  else copy[at] = oddValue(field, copy[at], random);
  return copy;
}

function changedMap(field: DescField, map: Mapping, random: Random): Mapping {
  const keys = Object.keys(map);
  const key = keys.length > 0 && random.once(2) ? random.pick(keys) : random.pick(oddTexts);
  const like = Object.values(map)[0];
  return {
    ...map,
    [key]: random.once(3) && like !== undefined ? structuredClone(like) : oddValue(field, map[key], random),
  };
}

function isScalar(desc: DescMessage): boolean {
  return isWrapperDesc(desc) || desc.typeName.startsWith("google.protobuf.");
}

function oddValue(field: DescField, before: Tree | undefined, random: Random): Tree {
  if (field.enum !== undefined) return random.pick(field.enum.values).name;
  if (field.message === undefined) return oddScalar(field.scalar ?? ScalarType.STRING, before, random);
  if (isWrapperDesc(field.message)) return oddScalar(field.message.fields[0].scalar, before, random);
  if (field.message.typeName === "google.protobuf.Duration") return random.pick(oddDurations);
  if (field.message.typeName.startsWith("google.protobuf.")) return {};
  const value = isMapping(before) ? structuredClone(before) : {};
  for (let count = 1 + random.below(3); count > 0; count -= 1) change({ desc: field.message, value }, random);
  return value;
}

function oddScalar(scalar: ScalarType, before: Tree | undefined, random: Random): Tree {
  switch (scalar) {
    case ScalarType.BOOL:
      return random.once(2);
    case ScalarType.BYTES:
      return random.pick(["", "AA==", "////"]);
    case ScalarType.STRING:
      return typeof before === "string" && random.once(3) ? damaged(before, random) : random.pick(oddTexts);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return random.pick(oddDoubles);
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return random.pick([
        ...oddIntegers.map(String),
        "8388608",
        "8388609",
        "5000011",
        "9223372036854775807",
        "18446744073709551615",
      ]);
    case ScalarType.INT32:
    case ScalarType.UINT32:
    case ScalarType.SINT32:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
    default:
      return random.pick(oddIntegers);
  }
}

function damaged(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  return `${text.slice(0, at)}${random.pick(["\n", "\r", "\0", " ", "é", ":", "/", "%", "*", ".", "-", "_", "A", "\t", "\u007f", "[", "?", "#"])}${text.slice(at)}`;
}

const oddDurations = [
  ..."0s 0.000000001s 0.0009s 0.001s 0.0015s 1s 1.5s 59s 60s 3600s 86400s 4294967s 4294968s 4294967295s 4294967296s".split(
    " ",
  ),
  ..."9223372036s 9223372037s 253402300799s 253402300800s 315576000000s -1s -0.5s 2147483647s 2147483648s 1h 0.25s".split(
    " ",
  ),
];
const oddIntegers = [
  0, 1, 2, 3, 5, 10, 99, 100, 101, 199, 200, 255, 256, 299, 300, 302, 399, 503, 599, 600, 1023, 1024, 1025, 8192, 65535,
  65536, 8388608, 8388609, 10000000, 2147483646, 2147483647, 2147483648, 4294967295, -1, -2147483648,
];
const oddDoubles = [0, 0.00001, 0.0001, 0.5, 1, 1.0001, 33.333333, 99.9999, 100, 100.1, -0.1, 1e-9, 1e10, 1e300];
const oddTexts = [
  "",
  " ",
  "a",
  "A",
  "*",
  ".",
  "/",
  "//",
  "?",
  "#",
  "%",
  "%%",
  "%FOO%",
  "%REQ(x)%",
  "%REQ(",
  "%REQ(:path)%",
  "%START_TIME%",
  "%PROTOCOL",
  "\n",
  "a\r\nb",
  "\0",
  "a\0b",
  "é",
  "😀",
  "\u007f",
  "\t",
  ":x",
  ":path",
  ":authority",
  ":method",
  ":scheme",
  ":status",
  "host",
  "Host",
  "x y",
  "x:y",
  "X-Upper",
  "x-b",
  "content-length",
  "connection",
  "transfer-encoding",
  "grpc-timeout",
  "cookie",
  "x-envoy-a",
  "a.example.com",
  "*.example.com",
  "*.com",
  "A.Example.COM",
  "*a.example.com",
  "a..b",
  "a.example.com.",
  "localhost",
  "reviews",
  "reviews.shop.svc.cluster.local",
  "a.example.com:80",
  "1.2.3.4",
  "::1",
  "10.0.0.0/8",
  "10.0.0.1/8",
  "::/0",
  "0.0.0.0",
  "0.0.0.0/0",
  "fe80::1%eth0",
  "::ffff:1.2.3.4",
  "1.2.3.4/32",
  "unix:///tmp/a",
  "unix://@a",
  `unix:///${"p".repeat(120)}`,
  "127.0.0.1:80",
  "http",
  "HTTP",
  "https",
  "TCP",
  "TLS",
  "GRPC",
  "UDP",
  "MONGO",
  "HTTP_PROXY",
  "GET",
  "get",
  "FOO",
  "5xx",
  "503",
  "5xx,reset",
  "retriable-headers",
  "503,504",
  "5xx, 404",
  "200",
  "600",
  "/a/b",
  "/a?b",
  "a/b",
  "/é",
  "/%zz",
  "/a b",
  "\\1",
  "\\9",
  "\\",
  "(a)",
  "[a-",
  ".*",
  "(?i)a",
  "a{1000}",
  "\\pL{20}",
  "a|b|",
  "^$",
  "(?=a)",
  "[[:foo:]]",
  "a{1001}",
  "eu",
  "eu/a",
  "eu/*",
  "us/c/1",
  "app",
  "app=x",
  "topology.kubernetes.io/region",
  "x".repeat(63),
  "x".repeat(64),
  "x".repeat(256),
  "x".repeat(1025),
  "x".repeat(20_000),
  "ECDHE-RSA-AES256-GCM-SHA384",
  "AES128-SHA",
  "TLS_AES_128_GCM_SHA256",
  "FOO-CIPHER",
  "P-256",
  "X25519",
  "spiffe://a/b",
  "SIMPLE",
  "v1",
  "v2",
  "mesh",
  "edge",
  "shop/edge",
  "secret",
  "kubernetes://secret",
  "file:///a",
  "ns/secret",
  "configmap://a/b",
  "https://a.example.com",
  "https://*.example.com",
  "null",
];
