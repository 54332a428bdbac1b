import { expect, test } from "vitest";
import { GalleyMetrics } from "../../admin/metrics/galley-metrics.ts";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { distributeToAll } from "../../galley/snapshotter/distributor.ts";
import { debounce, immediate } from "../../galley/snapshotter/strategy.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { breakMetric } from "../../testing/recording/break-metric.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingDistributor } from "../../testing/recording/recording-distributor.ts";
import { buildGalley } from "../build-galley.ts";
import { installGalleyGauges, installObjectGauges } from "./galley-gauges.ts";
import { GalleyMeter } from "./galley-meter.ts";

const serviceEntries = "k8s/networking.istio.io/v1alpha3/serviceentries";

function meteredGalley() {
  const clock = new FakeClock();
  const metrics = new Metrics();
  const meter = new GalleyMeter(new GalleyMetrics(metrics), clock, new FailingParts(clock));
  const source = new MemorySource({ name: "memory", collections: [serviceEntries] });
  const { processor, snapshotter, galley } = buildGalley({
    sources: [meter.metered(source)],
    distributor: distributeToAll([meter, new RecordingDistributor()]),
    strategyOf: (group) => (group === "default" ? debounce({ clock, observer: meter }) : immediate(meter)),
    onSnapshotError: (error) => {
      throw error;
    },
  });
  const state = {
    configs: processor.outputs,
    sourceHealth: () => [],
    sources: () => [],
    issues: () => [],
    clashes: () => [],
    problems: () => galley.problems,
    generatorProblems: () => [],
  };
  installGalleyGauges(metrics, state);
  installObjectGauges(metrics, processor.outputs);
  return { clock, metrics, source, processor, snapshotter };
}

/** The samples that Prometheus would scrape, by name and labels, without buckets. */
async function scrape(metrics: Metrics): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith("galley_"));
  const pairs = lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))] as const);
  return new Map(pairs.filter(([name]) => !name.includes("_bucket{")));
}

test("every metric of Galley's processing counts its events", async () => {
  const { clock, metrics, source, processor, snapshotter } = meteredGalley();
  snapshotter.start();
  source.set(serviceEntries, fakeConfig({ name: "a" }));
  await processor.start();
  clock.advance(500);
  for (const name of ["b", "c", "d"]) {
    source.set(serviceEntries, fakeConfig({ name }));
    clock.advance(400);
  }
  await scrape(metrics);
  source.delete(serviceEntries, "shop/a");
  clock.advance(500);
  const told = await scrape(metrics);
  const strategy = "galley_runtime_strategy";
  const runtime = "galley_runtime_processor";
  const gauge = 'galley_istio_networking_serviceentries{namespace="shop",name';
  expect(Object.fromEntries(told)).toMatchObject({
    // One for the empty synthetic group, five for changes of the other.
    [`${strategy}_on_change_total`]: 6,
    [`${strategy}_timer_resets_total`]: 2,
    [`${strategy}_timer_quiesce_reached_total`]: 2,
    [`${strategy}_timer_max_time_reached_total`]: 1,
    // The object and the end of the first sync, three objects more, one gone.
    [`${runtime}_events_processed_total`]: 6,
    [`${runtime}_event_span_duration_milliseconds_count`]: 5,
    [`${runtime}_event_span_duration_milliseconds_sum`]: 500 + 400 + 400 + 400,
    [`${runtime}_snapshots_published_total`]: 4,
    [`${runtime}_snapshot_events_total_count`]: 4,
    [`${runtime}_snapshot_events_total_sum`]: 0 + 2 + 3 + 1,
    [`${runtime}_snapshot_lifetime_duration_milliseconds_count`]: 2,
    [`${runtime}_snapshot_lifetime_duration_milliseconds_sum`]: 1000 + 700,
    ['galley_runtime_state_type_instances_total{collection="istio/networking/v1alpha3/serviceentries"}']: 3,
    [`${gauge}="a",version="1"}`]: 0,
    [`${gauge}="b",version="1"}`]: 1,
  });
});

test("values after a failure of the metrics include the events during the failure", async () => {
  const { clock, metrics, source, processor, snapshotter } = meteredGalley();
  snapshotter.start();
  await processor.start();
  clock.advance(500);
  const span = metrics.registry.getSingleMetric("galley_runtime_processor_event_span_duration_milliseconds");
  const observe = span && "observe" in span ? span.observe : undefined;
  breakMetric(metrics, "galley_runtime_processor_event_span_duration_milliseconds");
  source.set(serviceEntries, fakeConfig({ name: "a" }));
  clock.advance(100);
  source.set(serviceEntries, fakeConfig({ name: "b" }));
  clock.advance(2_000);
  Object.assign(span ?? {}, { observe });
  const before = await scrape(metrics);
  source.set(serviceEntries, fakeConfig({ name: "c" }));
  clock.advance(500);
  const after = await scrape(metrics);
  const grown = (name: string) => {
    const full = `galley_runtime_processor_${name}_sum`;
    return (after.get(full) ?? 0) - (before.get(full) ?? 0);
  };
  expect(grown("event_span_duration_milliseconds")).toBe(2_000);
  expect(grown("snapshot_events_total")).toBe(1);
  expect(grown("snapshot_lifetime_duration_milliseconds")).toBe(2_000);
});

test("spans and lifetimes have Galley's buckets", async () => {
  const { metrics, processor, snapshotter, clock } = meteredGalley();
  snapshotter.start();
  await processor.start();
  clock.advance(500);
  const text = await metrics.registry.metrics();
  const bucketsOf = (name: string) =>
    Array.from(
      text.matchAll(new RegExp(`^galley_runtime_processor_${name}_bucket\\{le="([^"]+)"`, "gmu")),
      (match) => match[1],
    );
  const doubled = ["0", "1", "2", "4", "8", "16", "32", "64", "128", "256"];
  expect(bucketsOf("snapshot_events_total")).toEqual([...doubled, "+Inf"]);
  for (const name of ["event_span_duration_milliseconds", "snapshot_lifetime_duration_milliseconds"]) {
    expect(bucketsOf(name).slice(0, 10)).toEqual(doubled);
    expect(bucketsOf(name).slice(-2)).toEqual(["8388608", "+Inf"]);
  }
});
