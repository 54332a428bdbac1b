import { expect, test } from "vitest";
import { GalleyMetrics } from "../../admin/metrics/galley-metrics.ts";
import { Metrics } from "../../admin/metrics/metrics.ts";
import type { SourceEvent, SourceHandler } from "../../galley/source/source.ts";
import { configOf } from "../../testing/config/fake-config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { ScriptedSource } from "../../testing/galley/processor-rig.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { valuesOf } from "../../testing/server/wired-server.ts";
import { GalleyMeter } from "./galley-meter.ts";

const collection = "k8s/networking.istio.io/v1alpha3/serviceentries";
const gateway = configOf("Gateway", "a", {});
const problem = { code: "bad-value", object: "Gateway shop/a", path: "", message: "", place: undefined } as const;

/** The metrics of a source with this name, after these events. */
async function counted(name: string, events: readonly SourceEvent[]) {
  const metrics = new Metrics();
  const meter = new GalleyMeter(new GalleyMetrics(metrics), new FakeClock(), new FailingParts());
  const source = Object.assign(new ScriptedSource(), { name });
  const received: SourceEvent[] = [];
  const handler: SourceHandler = ([event]) => void (event && received.push(event));
  await meter.metered(source).start(handler);
  for (const event of events) source.say(event);
  expect(received).toEqual(events);
  return async (metric: string) => await valuesOf(metrics, `galley_source_kube_${metric}`);
}

test("objects of an API server are counted, by kind where Galley does", async () => {
  const of = await counted("kube:prod", [
    { type: "upserted", collection, config: gateway },
    { type: "upserted", collection, config: configOf("Service", "b", {}, { apiVersion: "v1" }) },
    { type: "deleted", collection, key: "shop/a" },
    { type: "fullSync", collection },
    { type: "issues", part: "Gateway shop/a", issues: [{ severity: "error", ...problem }] },
    { type: "issues", part: "Gateway shop/b", issues: [{ severity: "warning", ...problem }] },
    { type: "issues", part: "resources", issues: [{ severity: "error", ...problem }] },
    { type: "stale", reason: "connection refused" },
  ]);
  expect(await of("event_success_total")).toEqual(["3"]);
  expect(await of("event_error_total")).toEqual(["1"]);
  expect(await of("dynamic_converter_success_total")).toEqual([
    '{apiVersion="v1",group="networking.istio.io",kind="Gateway"} 1',
    '{apiVersion="v1",group="core",kind="Service"} 1',
  ]);
  expect(await of("dynamic_converter_failure_total")).toEqual([
    '{apiVersion="v1",group="networking.istio.io",kind="Gateway"} 1',
    '{apiVersion="",group="",kind="unknown"} 1',
  ]);
});

test("objects of other sources are not counted as those of an API server", async () => {
  const of = await counted("file:mesh", [{ type: "upserted", collection, config: gateway }]);
  expect(await of("event_success_total")).toEqual([]);
  expect(await of("dynamic_converter_success_total")).toEqual([]);
});
