import { expect, test } from "vitest";
import { perType } from "../../fleet/fleet-resource-type.ts";
import type { FleetReport } from "../../fleet/fleet.ts";
import { histogramOf } from "../../fleet/histogram.ts";
import { quantilesOf } from "../../fleet/quantiles.ts";
import { fleetPage } from "./fleet-page.ts";

const firstSync = [12, 14, 90];
const none = { responses: 0, resources: 0, removed: 0, bytes: 0, accepted: 0, rejected: 0, needless: 0 };
const report: FleetReport = {
  proxies: 4,
  connected: 3,
  inSync: 3,
  late: 1,
  dangling: 0,
  types: perType((type) => ({ ...none, responses: type === "CDS" ? 17 : 0 })),
  firstSyncMs: quantilesOf(firstSync),
  firstSyncBars: histogramOf(firstSync),
  resumeMs: quantilesOf([]),
  changes: [{ type: "RDS", name: "<b>80</b>", spreadMs: quantilesOf([0, 7]) }],
  turnedAway: 0,
  lost: {},
  broken: 0,
  remarks: [],
};

test("the page of a fleet has a bar per step, the figures of each type and change, and the problems", () => {
  const page = fleetPage(report, { address: "10.0.0.7:15010", durationMs: 3_000 });
  expect(page.match(/<rect /gu)).toHaveLength(3);
  expect(page).toContain("2 to 20 ms, 0 to 50 ms, 1 to 100 ms");
  expect(page).toContain('<th scope="row">CDS</th><td>17</td>');
  expect(page).toContain("1 proxies are not in sync");
});

test("the page of a fleet escapes names, and asks no other server", () => {
  const page = fleetPage(report, { address: "<script>", durationMs: 3_000 });
  expect(page).toContain("&lt;b&gt;80&lt;/b&gt;");
  expect(page).not.toMatch(/<script|<link|src=|url\(|@import/u);
});

test("the page of a fleet without a proxy in sync has no bars", () => {
  const empty = { ...report, firstSyncMs: quantilesOf([]), firstSyncBars: [], changes: [] };
  expect(fleetPage(empty, { address: "a:1", durationMs: 1 })).not.toContain("<rect");
});
