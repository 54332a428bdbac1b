import type { SourceState } from "../../desk/api/model/overview.ts";
import { counted } from "../../lib/counted.ts";
import { type Styled, stylesFor } from "../issues/excerpt-lines.ts";
import { ago } from "../text/duration-text.ts";
import { GrowingTable } from "../text/growing-table.ts";
import { sorted, type TopState } from "./top-state.ts";
import type { ListedProxy, TopView } from "./top-view.ts";

export interface TopOptions {
  /** The address of the server. */
  readonly server: string;
  readonly state: TopState;
  readonly now: number;
  readonly coloured: boolean;
  /** Whether proxies have all their columns. */
  readonly isWide?: boolean;
  readonly size: { readonly columns: number; readonly rows: number };
  /** Shown in place of the keys, such as a lost connection. */
  readonly notice?: string | undefined;
}

/** More sources would leave no space for proxies. */
const mostSources = 5;
const fewestProxies = 3;

/** The screen of `top`: never more lines and columns than the terminal has. */
export function topLines(view: TopView, options: TopOptions): readonly string[] {
  const { size, state, notice } = options;
  const styled = stylesFor(options.coloured);
  const foot = state.input === undefined ? (notice ?? keysText(state)) : `filter: ${state.input}_`;
  const fixed = [...headLines(view, options, styled), "", ...sourceLines(view.sources, options, styled)];
  const left = size.rows - fixed.length - 3;
  const proxies = proxyLines(view, options, { rows: Math.max(fewestProxies, left), styled });
  const body = [...fixed, ...proxies].slice(0, size.rows - 1).map((line) => cut(line, size.columns));
  const padding = Array.from({ length: Math.max(0, size.rows - 1 - body.length) }, () => "");
  return [...body, ...padding, cut(foot, size.columns)];
}

/** The same for a script: all proxies and sources, and no keys. */
export function topText(view: TopView, options: Omit<TopOptions, "size" | "notice">): string {
  const all = { ...options, size: { columns: Infinity, rows: Infinity } };
  const styled = stylesFor(false);
  return [
    ...headLines(view, all, styled),
    "",
    ...sourceLines(view.sources, all, styled),
    ...proxyLines(view, all, { rows: Infinity, styled }),
  ].join("\n");
}

function headLines(view: TopView, { server, now }: TopOptions, styled: Styled): readonly string[] {
  const { proxies, pushes, convergence, queue, process, health, issues } = view;
  const worst = { well: "green", degraded: "yellow", failing: "red" } as const;
  const perType = Object.entries(pushes.perSecond).map(([type, rate]) => `${type} ${rate}/s`);
  return [
    `binnacle ${view.version} at ${server}, up ${ago(view.startedAt, now)}, ${view.at.slice(11, 19)} UTC`,
    `health       ${styled(worst[health], health)}${view.advice[0] === undefined ? "" : `: ${view.advice[0]}`}`,
    `proxies      ${proxies.total}: ${proxies.synced} synced, ${styled(proxies.behind > 0 ? "yellow" : "reset", `${proxies.behind} behind`)}, ` +
      styled(proxies.rejecting > 0 ? "red" : "reset", `${proxies.rejecting} rejecting`) +
      `   issues: ${counted(issues.errors, "error")}, ${counted(issues.warnings, "warning")}`,
    `pushes       ${perType.join("  ") || "none"}   ${bytesText(pushes.bytesPerSecond)}/s   rejects ${numberText(pushes.rejectsPerSecond)}/s`,
    `convergence  p50 ${msText(convergence.p50)}  p99 ${msText(convergence.p99)}   queue p99 ${msText(queue.p99)}, longest ${msText(queue.longest)}   pushes/min ${pushes.lastMinute}`,
    `process      load ${process.load}  loop ${msText(process.eventLoopDelayMs)}  memory ${bytesText(process.memoryBytes)}  heap ${bytesText(process.heapBytes)}  cpu ${percentText(process.cpu)}`,
  ];
}

function sourceLines(sources: readonly SourceState[], { now, size }: TopOptions, styled: Styled): readonly string[] {
  const shown = size.rows === Infinity ? sources : sources.slice(0, mostSources);
  const rows = shown.map(({ name, state, reason = "", staleSince, lastHeard, objects, issues }) => [
    name,
    state,
    staleSince === undefined ? "" : ago(staleSince, now),
    lastHeard === undefined ? "never" : `${ago(lastHeard, now)} ago`,
    String(objects),
    String(issues),
    reason,
  ]);
  const [head = "", ...lines] = new GrowingTable().add(
    ["SOURCE", "STATE", "STALE FOR", "HEARD", "OBJECTS", "ISSUES", "REASON"],
    rows,
  );
  const more = sources.length - shown.length;
  return [
    styled("bold", head),
    ...lines.map((line, index) => (shown[index]?.state === "stale" ? styled("red", line) : line)),
    ...(more > 0 ? [`and ${more} more, see binnacle sources`] : []),
  ];
}

interface ListSpace {
  readonly rows: number;
  readonly styled: Styled;
}

const proxyColours = { rejecting: "red", behind: "yellow", synced: "reset" } as const;

function proxyLines(view: TopView, options: TopOptions, { rows, styled }: ListSpace): readonly string[] {
  const { state, isWide = false } = options;
  const { items, total } = view.list;
  const all = sorted(items, state);
  const offset = Math.min(state.offset, Math.max(0, all.length - rows + 1));
  const shown = all.slice(offset, rows === Infinity ? undefined : offset + rows - 1);
  const [head = "", ...lines] = new GrowingTable().add(
    ["PROXY", "NAMESPACE", "TYPE", "MODE", "STATE", "SINCE", "NOT IN SYNC", ...(isWide ? ["VERSION", "NODE"] : [])],
    shown.map((proxy) => cellsOf(proxy, options)),
  );
  const hidden = total - offset - shown.length;
  return [
    hidden > 0 ? `${total} proxies, ${hidden} of them below the last line` : "",
    styled("bold", head),
    ...lines.map((line, index) => styled(proxyColours[shown[index]?.state ?? "synced"], line)),
    ...(total === 0 ? [state.filter === "" ? "no proxy is connected" : `no proxy matches ${state.filter}`] : []),
  ];
}

function cellsOf(proxy: ListedProxy, { now, isWide = false }: TopOptions): readonly string[] {
  const { node, name, namespace, type, mode, version, state, behind, connectedAt } = proxy;
  const cells = [name, namespace, type, mode, state, ago(connectedAt, now), behind.join(", ")];
  return isWide ? [...cells, version || "-", node] : cells;
}

function keysText({ sorting, isReversed, filter, isPaused }: TopState): string {
  const order = `${sorting}${isReversed ? ", reversed" : ""}`;
  const found = filter === "" ? "" : ` "${filter}" (Esc clears)`;
  return `q quit  s sort (${order})  r reverse  / filter${found}  p ${isPaused ? "go on (paused)" : "pause"}  ↑↓ scroll`;
}

/** Cuts a line at the width of the terminal. Sequences that colour the line take no space. */
function cut(line: string, columns: number): string {
  // oxlint-disable-next-line no-control-regex -- colours begin with an escape
  const parts = line.split(/(\u001B\[[\d;]*m)/u);
  let space = columns;
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return part;
      const shown = part.slice(0, space);
      space -= shown.length;
      return shown;
    })
    .join("");
}

function msText(ms: number | undefined): string {
  if (ms === undefined) return "–";
  return ms >= 1_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms * 10) / 10} ms`;
}

function numberText(value: number | undefined): string {
  return value === undefined ? "–" : String(value);
}

function percentText(share: number | undefined): string {
  return share === undefined ? "–" : `${Math.round(share * 100)} %`;
}

function bytesText(bytes: number | undefined): string {
  if (bytes === undefined) return "–";
  const units = ["B", "kB", "MB", "GB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
