import { expect, test } from "vitest";
import type { SourceEvent } from "../../galley/source/source.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { ScriptedSource } from "../../testing/galley/processor-rig.ts";
import { FaultyLogger } from "../../testing/recording/faulty-logger.ts";
import { SourceRecorder } from "../../testing/recording/source-recorder.ts";
import { SourceWatch } from "./source-watch.ts";

async function rig() {
  const clock = new FakeClock();
  const logger = new FaultyLogger();
  const watch = new SourceWatch(clock, logger);
  const source = new ScriptedSource(["a", "b"]);
  const heard = new SourceRecorder();
  await watch.watched(source).start(heard.handler);
  const say = (event: SourceEvent) => source.say(event);
  return { clock, logger, heard, say, record: () => watch.recordOf("scripted") };
}

test("events of a source are passed on, and the time of the last event is recorded", async () => {
  const { clock, heard, say, record } = await rig();
  expect(record().heardAt).toBeUndefined();
  clock.advance(10);
  say({ type: "reset" });
  expect(heard.events).toEqual([{ type: "reset" }]);
  expect(record().heardAt).toBe(10);
});

test("a source has synced when all its collections have, each time anew", async () => {
  const { say, record } = await rig();
  const tell = () => ["a", "b"].forEach((collection) => say({ type: "fullSync", collection }));
  say({ type: "fullSync", collection: "a" });
  expect(record().syncs).toBe(0);
  say({ type: "fullSync", collection: "b" });
  say({ type: "reset" });
  tell();
  expect(record().syncs).toBe(2);
});

test("a stale source is logged once for each reason, and is stale since the first", async () => {
  const { clock, logger, say, record } = await rig();
  clock.advance(5);
  say({ type: "stale", reason: "refused" });
  clock.advance(5);
  say({ type: "stale", reason: "timed out" });
  expect(record()).toMatchObject({ staleSince: 5, errors: 2 });
  say({ type: "fresh" });
  say({ type: "fresh" });
  expect(record().staleSince).toBeUndefined();
  expect(logger.lines.map(({ level, message, fields }) => ({ level, message, ...fields }))).toEqual([
    { level: "warn", message: "source stale", source: "scripted", reason: "refused" },
    { level: "warn", message: "source stale", source: "scripted", reason: "timed out" },
    { level: "info", message: "source fresh", source: "scripted", staleMs: 5 },
  ]);
});

test("the record of a source is right even if its log line cannot be written", async () => {
  const { clock, logger, heard, say, record } = await rig();
  logger.failOn("source stale");
  logger.failOn("source fresh");
  clock.advance(5);
  expect(() => say({ type: "stale", reason: "refused" })).toThrow("planted");
  expect(record()).toMatchObject({ heardAt: 5, staleSince: 5, errors: 1 });
  expect(() => say({ type: "fresh" })).toThrow("planted");
  expect(record()).toMatchObject({ staleSince: undefined });
  say({ type: "reset" });
  expect(heard.events).toEqual([{ type: "reset" }]);
});

test("a watched source stops and is idle as the source itself, and is current after a new start", async () => {
  const watch = new SourceWatch(new FakeClock(), new FaultyLogger());
  const source = new ScriptedSource(["a"]);
  const told: string[] = [];
  source.stop = async () => void told.push("stopped");
  source.idle = async () => void told.push("idle");
  const watched = watch.watched(source);
  await watched.start(() => undefined);
  source.say({ type: "stale", reason: "planted" });
  await watched.idle();
  await watched.stop();
  expect([told, watch.recordOf("scripted").staleSince]).toEqual([["idle", "stopped"], 0]);
  await watched.start(() => undefined);
  expect(watch.recordOf("scripted").staleSince).toBeUndefined();
});
