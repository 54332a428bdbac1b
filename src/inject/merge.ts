import { isMapping } from "../lib/is-mapping.ts";
import type { Fields } from "./pod.ts";

/**
 * Lists whose items Kubernetes merges by a key, with the fields of the key. Other lists are replaced. The protocol of a
 * port is TCP if it is absent.
 */
const mergeKeys: Readonly<Record<string, readonly string[]>> = {
  containers: ["name"],
  initContainers: ["name"],
  env: ["name"],
  ports: ["containerPort", "protocol"],
  volumeMounts: ["mountPath"],
  volumeDevices: ["devicePath"],
  volumes: ["name"],
  imagePullSecrets: ["name"],
};

/** Of these a probe or a handler has exactly one: the one laid over replaces the others. */
const handlers = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

/** The sources of a variable's value, of which it has exactly one. */
const valueSources = ["value", "valueFrom"];

/** Lays fields over others, as a strategic merge patch of Kubernetes does. */
export function mergeOver(base: Fields, over: Fields): Fields {
  const kept = [handlers, valueSources].reduce<Fields>((fields, group) => withoutOthers(fields, over, group), base);
  const merged = Object.entries(over).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, mergeField(name, kept[name], value)] as const],
  );
  return { ...kept, ...Object.fromEntries(merged) };
}

function withoutOthers(base: Fields, over: Fields, group: readonly string[]): Fields {
  if (!group.some((name) => over[name] !== undefined)) return base;
  return Object.fromEntries(Object.entries(base).filter(([name]) => !group.includes(name) || name in over));
}

function mergeField(name: string, base: unknown, over: unknown): unknown {
  const keys = Object.hasOwn(mergeKeys, name) ? mergeKeys[name] : undefined;
  if (keys !== undefined && isMappings(base) && isMappings(over)) return mergeLists(base, over, keys);
  return isMapping(base) && isMapping(over) ? mergeOver(base, over) : over;
}

/** Items with the same key are merged in place. New items come last. */
function mergeLists(base: readonly Fields[], over: readonly Fields[], keys: readonly string[]): readonly Fields[] {
  const keyOf = (item: Fields) => JSON.stringify(keys.map((key) => item[key] ?? (key === "protocol" ? "TCP" : null)));
  const laid = new Map(over.map((item) => [keyOf(item), item]));
  const known = new Set(base.map(keyOf));
  const merged = base.map((item) => {
    const above = laid.get(keyOf(item));
    return above === undefined ? item : mergeOver(item, above);
  });
  return [...merged, ...over.filter((item) => !known.has(keyOf(item)))];
}

function isMappings(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every(isMapping);
}
