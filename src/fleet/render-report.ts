import { largest } from "../lib/extremes.ts";
import type { FleetReport } from "./fleet.ts";
import type { Quantiles } from "./quantiles.ts";
import { fleetResourceTypes } from "./fleet-resource-type.ts";

/** Only the slowest changes are shown, because a long run has many. */
const shownChanges = 5;
const barWidth = 40;

/** A report for people. */
export function renderReport(report: FleetReport): string {
  return [
    `proxies   ${report.proxies}, ${report.connected} connected, ${report.inSync} in sync`,
    `first     ${timesOf(report.firstSyncMs)}`,
    ...(report.resumeMs.count === 0 ? [] : [`resumed   ${timesOf(report.resumeMs)}`]),
    ...barsOf(report),
    ...(report.turnedAway === 0 ? [] : [`refused   ${report.turnedAway} streams, to come again later`]),
    "",
    ...table([typeHeading, ...fleetResourceTypes.map((type) => typeRow(type, report))]),
    "",
    ...changesOf(report),
    ...problemsOf(report),
  ].join("\n");
}

/** The problems in a report as texts. Empty when there are none. */
export function problemsOf(report: FleetReport): readonly string[] {
  const needless = fleetResourceTypes.reduce((sum, type) => sum + report.types[type].needless, 0);
  const problems = [
    ...(report.late > 0 ? [`${report.late} proxies are not in sync`] : []),
    ...(report.broken > 0 ? [`${report.broken} times a reference led nowhere for a while`] : []),
    ...(needless > 0 ? [`${needless} responses brought nothing new`] : []),
    ...Object.entries(report.lost).map(([reason, count]) => `${count} streams ended: ${reason}`),
  ];
  return [...problems, ...report.remarks.map((remark) => `  ${remark}`)];
}

const typeHeading = ["", "responses", "resources", "removed", "bytes", "accepted", "rejected"];

function typeRow(type: (typeof fleetResourceTypes)[number], { types }: FleetReport): readonly string[] {
  const { responses, resources, removed, bytes, accepted, rejected } = types[type];
  return [type, ...[responses, resources, removed, bytes, accepted, rejected].map(String)];
}

function changesOf({ changes, dangling }: FleetReport): readonly string[] {
  const slowest = changes.toSorted((a, b) => b.spreadMs.max - a.spreadMs.max).slice(0, shownChanges);
  return [
    `changes   ${changes.length} new versions seen${slowest.length === 0 ? "" : "; from the first proxy to the others:"}`,
    ...slowest.map(({ type, name, spreadMs }) => `  ${type} ${name}: ${timesOf(spreadMs)}`),
    ...(dangling === 0 ? [] : [`dangling  ${dangling} references lead to clusters that do not exist`]),
  ];
}

/** One bar shows nothing that the quantiles do not. */
function barsOf({ firstSyncBars: bars }: FleetReport): readonly string[] {
  if (bars.length < 2) return [];
  const most = largest(bars.map(({ count }) => count));
  return bars.map(({ upToMs, count }) => {
    const bar = "#".repeat(Math.ceil((count / most) * barWidth));
    return `  to ${String(upToMs).padStart(6)} ms ${String(count).padStart(6)} ${bar}`.trimEnd();
  });
}

function timesOf({ count, p50, p99, max }: Quantiles): string {
  return count === 0 ? "nobody" : `${count} proxies, p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`;
}

/** Aligns the first column left and numbers right. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => largest(rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(8) : cell.padStart(widths[column] ?? 0))).join("  "),
  );
}
