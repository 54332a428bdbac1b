import { counted } from "../../lib/counted.ts";
import { textTable } from "../text/text-table.ts";
import type { MeshStatus, NackReport, ProxyStatus } from "./fetch-status.ts";

/** These types always have a column. Other types follow if a proxy subscribes to them. */
const usualTypes = ["CDS", "LDS", "EDS", "RDS"];

/** A line per proxy with a column per type, as `istioctl proxy-status` has it, followed by the rejections. */
export function statusText({ proxies, nacks, refusedPatches }: MeshStatus): string {
  if (proxies.length === 0) return "no proxy is connected";
  const seen = proxies.flatMap(({ resources }) => Object.values(resources).map(({ type }) => type));
  const types = [...new Set([...usualTypes, ...seen.toSorted()])];
  // A column that is empty or equal for all proxies only takes space.
  const clusters = new Set(proxies.map(({ cluster_id }) => cluster_id)).size > 1;
  const versions = proxies.some(({ istio_version }) => istio_version !== "");
  const anyKept = proxies.some(({ quarantined = [] }) => quarantined.length > 0);
  const head = [
    "NAME",
    ...(clusters ? ["CLUSTER"] : []),
    ...types,
    ...(versions ? ["VERSION"] : []),
    ...(anyKept ? ["QUARANTINE"] : []),
  ];
  const rows = proxies.map((proxy) => [
    proxy.proxy,
    ...(clusters ? [proxy.cluster_id] : []),
    ...types.map((type) => stateOf(proxy, type)),
    ...(versions ? [proxy.istio_version] : []),
    ...(anyKept ? [keptText(proxy)] : []),
  ]);
  return [textTable(head, rows), ...nacks.map((nack) => nackText(nack)), ...refusedPatches].join("\n\n");
}

/** `2 objects`: `binnacle quarantine list` names them. */
function keptText({ quarantined = [] }: ProxyStatus): string {
  return quarantined.length === 0 ? "" : counted(quarantined.length, "object");
}

function stateOf({ resources }: ProxyStatus, type: string): string {
  return Object.values(resources).find((each) => each.type === type)?.state ?? "IGNORED";
}

/** Maximum number of suspect resources to list. */
const mostResources = 5;

/** Shows a rejection: its resources, reason, objects with their places, and proxies. */
export function nackText({ type, message, resources, objects, proxies, quarantined = [] }: NackReport): string {
  const [only = "something", ...more] = resources;
  const what = more.length === 0 ? only : `one of ${counted(resources.length, "resource")}`;
  const names =
    more.length === 0 ? [] : [...resources.slice(0, mostResources), ...(more.length >= mostResources ? ["…"] : [])];
  return [
    `${type} ${what}: ${message}`,
    ...names.map((name) => `  ${name}`),
    ...objects.slice(0, mostResources).map(({ object, reference }) => `  ${object} ${reference}`.trimEnd()),
    ...(quarantined.length === 0 ? [] : [`  in quarantine: ${quarantined.slice(0, mostResources).join(", ")}`]),
    `  rejected by ${counted(proxies.length, "proxy").replace("proxys", "proxies")}: ${proxies.slice(0, mostResources).join(", ")}`,
  ].join("\n");
}
