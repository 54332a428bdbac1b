import type { JsonValue } from "@bufbuild/protobuf";

/** Lists whose order means nothing, and what to sort them by; as in the comparison tool beside the recordings. */
const sets: ReadonlyMap<string, (item: JsonValue) => string> = new Map([
  ["virtualHosts", nameOf],
  ["queryParameters", nameOf],
  ["domains", String],
  ["lbEndpoints", (item) => JSON.stringify(item)],
]);

const configVersion = /^(?<start>\/apis\/networking\.istio\.io)\/v[^/]+\//u;

/** Equal for messages that mean the same: keys and sets sorted, and no API version in the paths of configs. */
export function normalise(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(normalise);
  if (typeof value === "string") return value.replace(configVersion, "$<start>/v1/");
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(key, normalise(item))]));
}

function sorted(key: string, value: JsonValue): JsonValue {
  const by = sets.get(key);
  if (by === undefined || !Array.isArray(value)) return value;
  return value.toSorted((a, b) => (by(a) < by(b) ? -1 : 1));
}

function nameOf(item: JsonValue): string {
  return typeof item === "object" && item !== null && "name" in item ? JSON.stringify(item["name"]) : "";
}
