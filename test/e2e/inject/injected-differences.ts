import { parseAllDocuments } from "yaml";

type Fields = Readonly<Record<string, unknown>>;

/** Values that are JSON in a text. Istio's have other spaces. */
const jsonVariables = new Set([
  "PROXY_CONFIG",
  "ISTIO_META_POD_PORTS",
  "ISTIO_KUBE_APP_PROBERS",
  "ISTIO_PROMETHEUS_ANNOTATIONS",
]);
const jsonAnnotations = new Set(["sidecar.istio.io/status", "proxy.istio.io/overrides"]);

/** Istio mounts a list of revoked certificates. Binnacle publishes none. */
const revocationVolume = "istio-ca-crl";

/**
 * The fields in which two injected files differ, as `path: theirs → ours`. Orders of maps, spaces in JSON, spellings of
 * quantities and empty values do not count, and neither does the volume of revoked certificates.
 */
export function injectedDifferences(theirs: string, ours: string): readonly string[] {
  const [left, right] = [theirs, ours].map((text) =>
    parseAllDocuments(text)
      .map((document) => document.toJS() as unknown)
      .filter((value) => value !== null),
  );
  return differences(normal(left ?? []), normal(right ?? []), "");
}

function differences(left: unknown, right: unknown, path: string): readonly string[] {
  if (isFields(left) && isFields(right)) {
    const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].toSorted();
    return names.flatMap((name) => differences(left[name], right[name], `${path}.${name}`));
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    return left.flatMap((item, index) => differences(item, right[index], `${path}[${index}]`));
  }
  const [before, after] = [JSON.stringify(left), JSON.stringify(right)];
  return before === after ? [] : [`${path}: ${before} → ${after}`];
}

/** Named items become maps by name, so that differences have a readable path. Their order is kept as a list of names. */
function normal(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.filter((item) => item !== revocationVolume && !isRevocation(item));
    if (!items.every((item) => isFields(item) && typeof item["name"] === "string"))
      return items.map((item) => normal(item));
    const named = items as readonly (Fields & { readonly name: string })[];
    const key = field === "volumeMounts" ? "mountPath" : "name";
    const order = ["containers", "initContainers"].includes(field) ? { order: named.map(({ name }) => name) } : {};
    return { ...order, ...Object.fromEntries(named.map((item) => [String(item[key]), normal(item)])) };
  }
  if (!isFields(value)) return typeof value === "string" ? quantity(value) : value;
  const isJson = typeof value["name"] === "string" && jsonVariables.has(value["name"]);
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const isText = typeof inner === "string" && ((isJson && name === "value") || jsonAnnotations.has(name));
    const read = normal(isText ? JSON.parse(inner) : inner, name);
    const isDefault = isEmpty(read) || (name === "initialDelaySeconds" && read === 0);
    return isDefault || name === "status" ? [] : [[name, read] as const];
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function isRevocation(item: unknown): boolean {
  return isFields(item) && item["name"] === revocationVolume;
}

function quantity(text: string): string {
  return text === "1024Mi" ? "1Gi" : text.replace(/^(\d+)000m$/u, "$1");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
