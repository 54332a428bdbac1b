import { counted } from "../../lib/counted.ts";
import { ago } from "../text/duration-text.ts";
import { textTable } from "../text/text-table.ts";
import type { WatchedTable } from "../watch/change-printer.ts";

/** One source, as `/debug/sources` shows it. */
export interface SourceStatus {
  readonly name: string;
  readonly state: "stopped" | "syncing" | "synced" | "stale";
  readonly reason?: string;
  readonly staleSince?: string;
  readonly optional: boolean;
  readonly lastHeard?: string;
  readonly collections: readonly { readonly collection: string; readonly objects: number; readonly lost: number }[];
  readonly loses: readonly { readonly collection: string; readonly key: string; readonly winner: string }[];
  readonly issues: readonly { readonly severity: string; readonly object: string; readonly message: string }[];
}

/** How many objects, and how many issues, are worth a line each. */
const mostLines = 10;

/** A line per source, in order of precedence, followed by the remarks on each source. */
export function sourcesText(sources: readonly SourceStatus[], form: "text" | "wide", now: number): string {
  if (sources.length === 0) return "there is no source";
  const { head, items } = sourcesTable(sources, form, now);
  const rows = items.map(({ cells }) => cells);
  return [textTable(head, rows), ...sources.flatMap((source) => details(source, now))].join("\n\n");
}

/** The time since a source was heard of. */
const heardColumn = 2;

/** The same table for a watch. */
export function sourcesTable(sources: readonly SourceStatus[], form: string, now: number): WatchedTable {
  const isWide = form === "wide";
  const head = ["SOURCE", "STATE", "HEARD", "OBJECTS", "LOST", "ISSUES"];
  const passing = new Set([heardColumn]);
  const items = sources.map((source) => {
    const { name, state, optional, lastHeard, collections, loses, issues } = source;
    const cells = [
      name,
      `${state}${optional ? " (optional)" : ""}`,
      lastHeard === undefined ? "never" : `${ago(lastHeard, now)} ago`,
      String(collections.reduce((sum, { objects }) => sum + objects, 0)),
      String(loses.length),
      String(issues.length),
      ...(isWide ? [source.staleSince ?? "", source.reason ?? "", collectionsText(source)] : []),
    ];
    return { key: name, object: source, cells, passing };
  });
  return { head: [...head, ...(isWide ? ["STALE SINCE", "REASON", "COLLECTIONS"] : [])], items };
}

function collectionsText({ collections }: SourceStatus): string {
  const filled = collections.filter(({ objects }) => objects > 0);
  return filled.map(({ collection, objects }) => `${collection}: ${objects}`).join(", ");
}

function details(source: SourceStatus, now: number): readonly string[] {
  const { name, reason, staleSince, loses, issues } = source;
  const since = staleSince === undefined ? "" : ` for ${ago(staleSince, now)}`;
  const lines = [
    ...(reason === undefined ? [] : [`stale${since}: ${reason}`]),
    ...some(loses, "object", ({ collection, key, winner }) => `${collection} ${key} comes from ${winner}`),
    ...some(
      issues,
      "issue",
      ({ severity, object, message }) => `${severity}: ${object === "" ? "" : `${object}: `}${message}`,
    ),
  ];
  return lines.length === 0 ? [] : [[`${name}:`, ...lines.map((line) => `  ${line}`)].join("\n")];
}

function some<T>(all: readonly T[], noun: string, line: (one: T) => string): readonly string[] {
  const more = all.length - mostLines;
  return [...all.slice(0, mostLines).map(line), ...(more > 0 ? [`and ${counted(more, `more ${noun}`)}`] : [])];
}
