import { html, type Html, table } from "../../admin/ctrlz/html.ts";
import type { FleetReport } from "../../fleet/fleet.ts";
import { fleetResourceTypes } from "../../fleet/fleet-resource-type.ts";
import type { Bar } from "../../fleet/histogram.ts";
import type { Quantiles } from "../../fleet/quantiles.ts";
import { problemsOf } from "../../fleet/render-report.ts";
import { largest } from "../../lib/extremes.ts";

export interface FleetConditions {
  /** The address of the server, as the user wrote it. */
  readonly address: string;
  readonly durationMs: number;
}

const style = `body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .2rem .8rem; text-align: right; } th[scope=row] { text-align: left; }
thead th { border-bottom: 1px solid; } rect { fill: #3b6fb6; } text { font-size: 12px; fill: currentColor; }
:root { color-scheme: light dark; }`;

/** Without scripts, and without requests to other servers. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";

/** The report of a fleet as a page of one file. */
export function fleetPage(report: FleetReport, { address, durationMs }: FleetConditions): string {
  const problems = problemsOf(report);
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${report.proxies} proxies at ${address}</title>
<style>${{ markup: style }}</style>
</head>
<body>
<h1>${report.proxies} proxies at ${address}</h1>
<p>${report.connected} connected, ${report.inSync} in sync after ${durationMs / 1_000} s.</p>
${problems.length === 0 ? html`<p>No problems.</p>` : html`<h2>Problems</h2><ul>${problems.map((line) => html`<li>${line.trim()}</li>`)}</ul>`}
<h2>Until a proxy has everything</h2>
${bars(report.firstSyncBars)}
${times({ "first sync": report.firstSyncMs, ...(report.resumeMs.count > 0 && { "after a reconnect": report.resumeMs }) })}
<h2>Responses</h2>
${types(report)}
<h2>Changes</h2>
<p>From the first proxy that has a new version to the others.</p>
${times(Object.fromEntries(report.changes.map(({ type, name, spreadMs }) => [`${type} ${name}`, spreadMs])))}
</body>
</html>`;
  return `${markup}\n`;
}

const barHeight = 22;
const barsWidth = 560;
const labelWidth = 110;

function bars(all: readonly Bar[]): Html {
  const most = largest(all.map(({ count }) => count));
  const rows = all.map(({ upToMs, count }, row) => {
    const y = row * barHeight;
    const width = Math.round((count / most) * (barsWidth - labelWidth - 60));
    return html`<text x="${labelWidth - 8}" y="${y + 15}" text-anchor="end">to ${upToMs} ms</text>
<rect x="${labelWidth}" y="${y + 3}" width="${width}" height="${barHeight - 6}"></rect>
<text x="${labelWidth + width + 6}" y="${y + 15}">${count}</text>`;
  });
  const title = `Proxies by the time until they have everything: ${all.map(({ upToMs, count }) => `${count} to ${upToMs} ms`).join(", ")}`;
  return html`<svg role="img" aria-label="${title}" width="${barsWidth}" height="${all.length * barHeight}">${rows}</svg>`;
}

function times(rows: Readonly<Record<string, Quantiles>>): Html {
  const cells = Object.entries(rows).map(([name, { count, p50, p99, max }]) => [name, count, p50, p99, max]);
  return table(["", "proxies", "p50 (ms)", "p99 (ms)", "last (ms)"], cells);
}

function types(report: FleetReport): Html {
  const cells = fleetResourceTypes.map((type) => {
    const { responses, resources, removed, bytes, accepted, rejected } = report.types[type];
    return [type, responses, resources, removed, bytes, accepted, rejected];
  });
  return table(["type", "responses", "resources", "removed", "bytes", "accepted", "rejected"], cells);
}
