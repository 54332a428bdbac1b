import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { boards } from "../../scripts/dashboards/boards.ts";
import { queriesOf } from "../../scripts/dashboards/render.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { BusyServer } from "./monitoring/busy-server.ts";
import { istioSeries, movingMetrics } from "./monitoring/istio-boards.ts";
import { Prometheus } from "./monitoring/prometheus.ts";
import { rareSeries } from "./monitoring/rare-series.ts";
import { alertRules, alertsFile, recordingFile, recordingRules } from "./monitoring/rule-files.ts";
import { root } from "./support/checkout.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeWithPrometheus = await describeWith("prometheus");

/** The metrics in an expression, with their labels: `pilot_xds{type="cds"}`. */
function selectorsIn(expr: string): readonly string[] {
  const found = expr.matchAll(
    /\b(?:pilot|binnacle|galley|istio|istiod|citadel|nodejs|process|up)\w*\b(?:\{[^}]*\})?/gu,
  );
  return Array.from(found, ([selector]) => selector).filter((selector) => selector !== "instance");
}

const grafana = { instance: ".*", interval: "5m" };
const boardQueries = boards.flatMap((board) => queriesOf(board, grafana).map(({ expr }) => expr));
const alertSelectors = alertRules().flatMap(({ expr }) => selectorsIn(expr));

function isRare(query: string): boolean {
  return Object.keys(rareSeries).some((name) => query.includes(name));
}

describeWithPrometheus("a busy server", () => {
  const rig = shared(async (resources) => {
    const server = await BusyServer.start(resources);
    const ruleFiles = [alertsFile, recordingFile];
    const prometheus = resources.use(await Prometheus.start(server.binnacle.metricsPort, ruleFiles));
    const before = await server.totals();
    await server.misbehave();
    // A rate needs two scrapes of a series.
    await prometheus.moreScrapes(1);
    await server.edit();
    const after = await server.totals();
    await prometheus.moreScrapes(1);
    return { prometheus, before, after };
  });

  /** Queries without an answer. A scrape that failed hides all series until the next one, so a few are awaited. */
  async function unanswered(queries: readonly string[]): Promise<readonly string[]> {
    const { prometheus } = rig();
    let missing = await prometheus.unanswered(queries);
    for (let round = 0; round < 3 && missing.length > 0; round++) {
      await prometheus.moreScrapes(1);
      missing = await prometheus.unanswered(missing);
    }
    return missing.toSorted();
  }

  test("has a series for every query of our dashboards, except those of rare events", async () => {
    expect(boardQueries.length).toBeGreaterThan(80);
    expect(await unanswered(boardQueries.filter((query) => !isRare(query)))).toEqual([]);
  });

  test("has a series for every metric of our alerts and recording rules, except those of rare events", async () => {
    const recorded = recordingRules().map(({ record }) => record);
    expect(await unanswered([...alertSelectors, ...recorded].filter((query) => !isRare(query)))).toEqual([]);
  });

  test("evaluates every alert, and tells who rejects which object", async () => {
    const { prometheus } = rig();
    for (const { expr } of alertRules()) await prometheus.query(expr);
    const rejects = await eventually(
      "the rejection is an alert",
      async () => (await prometheus.alerts()).find(({ labels }) => labels["alertname"] === "BinnacleProxiesReject"),
      { seconds: 30 },
    );
    expect(rejects.labels).toMatchObject({ severity: "warning", type: "lds" });
    expect(rejects.annotations["description"]).toMatch(
      /lds .*: the resource \S+, made from Gateway\/istio-system\/public \(.*gateway\.yaml:\d+\)/u,
    );
  });

  test("has a series for every query of Istio's Pilot and Galley dashboards", async () => {
    expect(await unanswered(istioSeries.filter((query) => !isRare(query)))).toEqual([]);
  });

  test("has moving values in Istio's dashboards", () => {
    const { before, after } = rig();
    const still = movingMetrics.filter((name) => (after.get(name) ?? 0) === (before.get(name) ?? 0));
    expect(still).toEqual([]);
  });

  /** On a loaded machine some rare events happen, so their absence proves nothing. */
  test("lists as rare only series that a query needs, and that another test creates", () => {
    const queries = [...boardQueries, ...alertSelectors, ...istioSeries].join();
    expect(Object.keys(rareSeries).filter((name) => !queries.includes(name))).toEqual([]);
    const untested = Object.entries(rareSeries).filter(([name, reason]) => {
      const [file = ""] = /\S+\.test\.ts$/u.exec(reason) ?? [];
      return !readFileSync(join(root, file), "utf8").includes(name.replace(/^(?:binnacle|galley_source_kube)_/u, ""));
    });
    expect(untested).toEqual([]);
  });
});
