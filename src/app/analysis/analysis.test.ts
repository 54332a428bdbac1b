import { describe, expect, test } from "vitest";
import { analysisPage } from "../../admin/galley/analysis.ts";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { Graph } from "../../collection/graph.ts";
import { analyzers } from "../../config/analysis/analyzers.ts";
import { subjectText } from "../../config/analysis/message.ts";
import type { Config } from "../../config/config.ts";
import { outputOf } from "../../config/kind.ts";
import { gateway } from "../../config/kinds/gateway.ts";
import { virtualService } from "../../config/kinds/virtual-service.ts";
import { kinds } from "../../config/kinds.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";
import { debounce, immediate } from "../../galley/snapshotter/strategy.ts";
import { configIn } from "../../testing/config/configs-in.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { YamlSource } from "../../testing/galley/yaml-source.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingDistributor } from "../../testing/recording/recording-distributor.ts";
import { buildGalley } from "../build-galley.ts";
import { installAnalysisGauges } from "../gauges/analysis-gauges.ts";
import { Analysis } from "./analysis.ts";

/** A route for a gateway that is not there. */
function route(name: string): Config {
  return configIn(`
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: ${name}, namespace: shop }
spec: { hosts: [a.com], gateways: [main], http: [{ redirect: { uri: /b } }] }
`);
}

function snapshotOf(...configs: readonly Config[]): Snapshot {
  const graph = new Graph();
  const input = graph.input<Config>("routes");
  for (const config of configs) graph.batch(() => input.set(config.name, config));
  const collections = new Map([[outputOf(virtualService) ?? "", input.snapshot()]]);
  return { group: "localAnalysis", collections, version: () => "", resources: () => [] };
}

/** An analysis that takes a step whenever it is let. */
function steppedAnalysis() {
  const waiting: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => void waiting.push(resolve));
  const analysis = new Analysis({
    domain: "cluster.local",
    now: () => 0,
    known: [gateway, virtualService],
    analyzers,
    turn,
    supervisor: new FailingParts(),
  });
  const letGo = async () => {
    await Promise.resolve();
    while (waiting.length > 0) {
      waiting.shift()?.();
      for (let tick = 0; tick < 5; tick++) await Promise.resolve();
    }
  };
  return { analysis, waiting, letGo };
}

function subjectsOf({ state }: Analysis): readonly string[] {
  return [...new Set(state.report?.messages.map(subjectText))];
}

describe("the analysis of a process", () => {
  test("keeps the messages of the newest snapshot, and the skipped analyzers", async () => {
    const { analysis, letGo } = steppedAnalysis();
    analysis.distribute(snapshotOf(route("a")));
    expect(analysis.state).toMatchObject({ pending: true, report: undefined });
    await letGo();
    expect(subjectsOf(analysis)).toEqual(["VirtualService shop/a"]);
    expect(analysis.state).toMatchObject({ pending: false, finished: 1, cancelled: 0 });
    expect(analysis.state.report?.skipped.map(({ analyzer }) => analyzer)).toContain("gateway.SecretAnalyzer");
  });

  test("cancels the analysis of a snapshot when a newer one arrives", async () => {
    const { analysis, waiting, letGo } = steppedAnalysis();
    analysis.distribute(snapshotOf(route("a")));
    await Promise.resolve();
    await Promise.resolve();
    expect(waiting).toHaveLength(1);
    analysis.distribute(snapshotOf(route("b")));
    await letGo();
    expect(subjectsOf(analysis)).toEqual(["VirtualService shop/b"]);
    expect(analysis.state).toMatchObject({ pending: false, finished: 1, cancelled: 1 });
  });

  test("yields to other work after every analyzer", async () => {
    let turns = 0;
    const turn = () => Promise.resolve(void turns++);
    const supervisor = new FailingParts();
    const analysis = new Analysis({ domain: "cluster.local", now: () => 0, known: kinds, analyzers, turn, supervisor });
    analysis.distribute(snapshotOf());
    await analysis.idle();
    expect(turns).toBe(analyzers.length);
  });

  test("ends early when the process stops", async () => {
    const { analysis, letGo } = steppedAnalysis();
    analysis.distribute(snapshotOf(route("a")));
    const stopped = analysis.stop();
    await letGo();
    await stopped;
    expect(analysis.state).toMatchObject({ report: undefined, finished: 0 });
  });

  test("starts after a quiet period, long after proxies got their configuration", async () => {
    const clock = new FakeClock();
    const served = new RecordingDistributor();
    const looked = new RecordingDistributor();
    const source = new YamlSource();
    const { processor, snapshotter } = buildGalley({
      sources: [source],
      distributor: served,
      strategyOf: () => immediate(),
      analysis: { distributor: looked, strategy: debounce({ clock, quietMs: 1_000, maxWaitMs: 10_000 }) },
      onSnapshotError: () => {},
    });
    snapshotter.start();
    await processor.start();
    const output = outputOf(virtualService) ?? "";
    source.set(virtualService.collection, route("a"));
    expect(served.keys("default", output)).toEqual(["shop/a"]);
    clock.advance(999);
    expect(looked.snapshots).toEqual([]);
    source.set(virtualService.collection, route("b"));
    expect(served.keys("default", output)).toEqual(["shop/a", "shop/b"]);
    clock.advance(1_000);
    expect(looked.snapshots).toHaveLength(1);
    expect(looked.keys("localAnalysis", output)).toEqual(["shop/a", "shop/b"]);
  });
});

async function lookedAnalysis() {
  const { analysis, letGo } = steppedAnalysis();
  analysis.distribute(
    snapshotOf(route("a"), { ...route("b"), annotations: { "galley.istio.io/analyze-suppress": "*" } }),
  );
  await letGo();
  return analysis;
}

test("the page shows the worst of very many messages", async () => {
  const issue = { severity: "warning", code: "bad-value", path: "", message: "y", place: undefined } as const;
  const warnings = Array.from({ length: 600 }, (_, index) => ({ ...issue, object: `Gateway shop/g${index}` }));
  const error = { ...issue, severity: "error", object: "Gateway shop/z" } as const;
  const { answer } = analysisPage({
    analysis: () => ({ report: undefined, pending: true }),
    issues: () => [...warnings, error],
  });
  const { body } = await answer(new URLSearchParams());
  const page = JSON.parse(body) as {
    readonly total: number;
    readonly messages: readonly { readonly origin: string }[];
  };
  expect(page.total).toBe(601);
  expect(page.messages).toHaveLength(500);
  expect(page.messages[0]?.origin).toBe("Gateway shop/z");
});

describe("the result of an analysis", () => {
  test("is a page with validation issues and without suppressed messages", async () => {
    const analysis = await lookedAnalysis();
    const issue = {
      severity: "error",
      code: "bad-value",
      object: "Gateway shop/g",
      path: "",
      message: "y",
      place: undefined,
    } as const;
    const { answer, path } = analysisPage({ analysis: () => analysis.state, issues: () => [issue] });
    expect(path).toBe("/debug/analysis");
    const { body } = await answer(new URLSearchParams());
    const page = JSON.parse(body) as {
      readonly pending: boolean;
      readonly messages: readonly { readonly origin: string }[];
    };
    expect(page.pending).toBe(false);
    expect([...new Set(page.messages.map(({ origin }) => origin))]).toEqual([
      "VirtualService shop/a",
      "Gateway shop/g",
    ]);
    const text = await answer(new URLSearchParams("format=text"));
    expect(text.body).toMatch(/^Error \[IST0101\] \(VirtualService shop\/a a\.yaml:5\) /mu);
  });

  test("is counted by level", async () => {
    const analysis = await lookedAnalysis();
    const metrics = new Metrics();
    installAnalysisGauges(metrics, () => analysis.state);
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/^binnacle_analysis_messages\{level="Error"\} [1-9]/mu);
    expect(text).toMatch(/^binnacle_analysis_messages\{level="Info"\} 0$/mu);
    expect(text).toMatch(/^binnacle_analyses_total\{result="finished"\} 1$/mu);
  });
});
