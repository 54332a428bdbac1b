import { expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { OptionalSource } from "../../galley/source/optional-source.ts";
import type { Source } from "../../galley/source/source.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { processorRig, rigMemory, ScriptedSource } from "../../testing/galley/processor-rig.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { installSourceGauges } from "../gauges/source-gauges.ts";
import { sourceReports } from "./source-reports.ts";
import { SourceWatch } from "./source-watch.ts";

const issue = { severity: "error", code: "bad-value", object: "", path: "", message: "bad", place: undefined } as const;

/** A file source that wins an object, and an optional one that loses it. */
async function rig() {
  const clock = new FakeClock();
  const watch = new SourceWatch(clock, new RecordingLogger());
  const files = rigMemory("files");
  const remote = new ScriptedSource();
  const sources: readonly Source[] = [files, new OptionalSource(remote, { clock, waitMs: 1000 })];
  const { processor } = processorRig(sources.map((source) => watch.watched(source)));
  files.set("in", fakeConfig({ name: "reviews" }));
  files.set("in", fakeConfig({ name: "details" }));
  await processor.start();
  remote.say({ type: "upserted", collection: "in", config: fakeConfig({ name: "reviews" }) });
  remote.say({ type: "fullSync", collection: "in" });
  const ledgers = { of: (name: string) => ({ leftOut: name === "files" ? 7 : 0 }) };
  const reports = () => sourceReports({ processor, sources: { sources }, watch, ledgers, clock });
  return { clock, files, remote, reports };
}

test("every source reports its objects, the objects in use, and its issues", async () => {
  const { files, reports } = await rig();
  files.report("a.yaml", [issue]);
  const shared = { collection: "in", key: "shop/reviews", winner: "files" };
  expect(reports()).toMatchObject([
    {
      name: "files",
      state: "synced",
      leftOut: 7,
      optional: false,
      holdsUp: false,
      syncs: 1,
      collections: [{ collection: "in", objects: 2, lost: 0 }],
      wins: [shared],
      loses: [],
      issues: [issue],
    },
    {
      name: "scripted",
      optional: true,
      collections: [{ collection: "in", objects: 1, lost: 1 }],
      wins: [],
      loses: [shared],
      issues: [],
    },
  ]);
});

test("a stale source reports the reason and the start time", async () => {
  const { clock, remote, reports } = await rig();
  remote.say({ type: "stale", reason: "refused" });
  clock.advance(60_000);
  const [, stale] = reports();
  expect(stale).toMatchObject({ state: "stale", reason: "refused", errors: 1 });
  const seconds = (Date.now() - (stale?.staleSince?.getTime() ?? 0)) / 1000;
  expect(Math.round(seconds)).toBe(60);
  remote.say({ type: "fresh" });
  expect(reports()[1]).toMatchObject({ state: "synced" });
  expect(reports()[1]).not.toHaveProperty("staleSince");
});

test("metrics show the objects and the health of sources", async () => {
  const { clock, remote, reports } = await rig();
  const metrics = new Metrics();
  installSourceGauges(metrics, reports);
  remote.say({ type: "stale", reason: "refused" });
  clock.advance(60_000);
  const page = await metrics.registry.metrics();
  expect(page).toContain('binnacle_source_objects{source="files",collection="in"} 2');
  expect(page).toContain('binnacle_source_stale_seconds{source="files"} 0');
  expect(page).toMatch(/binnacle_source_stale_seconds\{source="scripted"\} 60/u);
  expect(page).toContain('binnacle_source_syncs_total{source="scripted"} 1');
  expect(page).toContain('binnacle_source_errors_total{source="scripted"} 1');
});
