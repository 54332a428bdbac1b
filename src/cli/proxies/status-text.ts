import { counted } from "../../lib/counted.ts";
import { textTable } from "../text/text-table.ts";
import type { WatchedTable } from "../watch/change-printer.ts";
import type { MeshStatus, NackReport, ProxyStatus } from "./fetch-status.ts";

/** These types always have a column. Other types follow if a proxy subscribes to them. */
const usualTypes = ["CDS", "LDS", "EDS", "RDS"];

/** A line per proxy with a column per type, as `istioctl proxy-status` has it, followed by the rejections. */
export function statusText(status: MeshStatus, form: "text" | "wide"): string {
  if (status.proxies.length === 0) return "no proxy is connected";
  const { head, items } = statusTable(status, form);
  const table = textTable(
    head,
    items.map(({ cells }) => cells),
  );
  return [table, ...status.nacks.map((nack) => nackText(nack)), ...status.refusedPatches].join("\n\n");
}

/** The same table for a watch. */
export function statusTable({ proxies }: Pick<MeshStatus, "proxies">, form: string): WatchedTable {
  const isWide = form === "wide";
  const seen = proxies.flatMap(({ resources }) => Object.values(resources).map(({ type }) => type));
  const types = [...new Set([...usualTypes, ...seen.toSorted()])];
  // A column that is empty or equal for all proxies only takes space.
  const clusters = isWide || new Set(proxies.map(({ cluster_id }) => cluster_id)).size > 1;
  const versions = isWide || proxies.some(({ istio_version }) => istio_version !== "");
  const anyKept = isWide || proxies.some(({ quarantined = [] }) => quarantined.length > 0);
  const columns: readonly (readonly [head: string, cell: (proxy: ProxyStatus) => string])[] = [
    ["NAME", ({ proxy }) => proxy],
    ...(clusters ? [["CLUSTER", ({ cluster_id }: ProxyStatus) => cluster_id] as const] : []),
    ...types.map((type) => [type, (proxy: ProxyStatus) => stateOf(proxy, type)] as const),
    ...(versions ? [["VERSION", ({ istio_version }: ProxyStatus) => istio_version] as const] : []),
    ...(anyKept ? [["QUARANTINE", keptText] as const] : []),
    ...(isWide ? wideColumns : []),
  ];
  return {
    head: columns.map(([head]) => head),
    items: proxies.map((proxy) => ({
      key: proxy.connection,
      object: proxy,
      cells: columns.map(([, cell]) => cell(proxy)),
    })),
  };
}

const wideColumns = [
  ["MODE", ({ mode = "" }: ProxyStatus) => mode],
  ["NODE", ({ node }: ProxyStatus) => node],
  ["CONNECTION", ({ connection }: ProxyStatus) => connection],
  ["ERROR", ({ resources }: ProxyStatus) => Object.values(resources).find((each) => each.lastError)?.lastError ?? ""],
] as const;

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
