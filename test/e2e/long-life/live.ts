/**
 * `node --expose-gc live.ts SEED DAYS PUSHES EDITS`: a whole server in memory, on a clock that the script advances. Each
 * day has this many pushes, and each push this many edits. At the end of a day all objects are deleted and all proxies
 * are gone. Then the script prints the remains as JSON ({@link EndOfDay}).
 */
import { setImmediate } from "node:timers/promises";
import { defaultOptions } from "../../../src/app/options/options.ts";
import { wire } from "../../../src/app/wire.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { YamlSource } from "../../../src/testing/galley/yaml-source.ts";
import { Random } from "../../../src/testing/random/random.ts";
import { RecordingLogger } from "../../../src/testing/recording/recording-logger.ts";
import { collectGarbage, liveCounts } from "./census.ts";
import { EditedObjects } from "./edited-objects.ts";
import type { EndOfDay } from "./end-of-day.ts";
import { Pods } from "./pods.ts";

const [seed = 0, days = 0, pushes = 0, edits = 0] = process.argv.slice(2).map(Number);
const dayMs = 24 * 3_600_000;

const clock = new FakeClock();
const source = new YamlSource("edited");
const logger = new RecordingLogger();
const settings = { sources: [], xds: "off", http: "off", metrics: "off", ctrlz: "off", quarantine: true };
const options = { ...defaultOptions(), ...settings, logLevel: { default: "error" } as const };
const server = wire(options, { clock, logger, version: "long-life", ownSources: [source] });
const { discovery } = server;

const random = new Random(seed);
const objects = new EditedObjects(source, random, seed);
const pods = new Pods(discovery, random);

await server.lifecycle.start();
for (let day = 1; day <= days; day++) {
  await live(day * dayMs);
  await rest(day * dayMs);
  process.stdout.write(`${JSON.stringify(await endOfDay(day))}\n`);
}
await server.lifecycle.stop();

/** The pushes of a day, at equal distances. */
async function live(midnight: number): Promise<void> {
  for (let push = 0; push < pushes; push++) {
    objects.edit(edits);
    pods.churn();
    await pods.settle(pushed);
    clock.advance(Math.max(0, (midnight - clock.now()) / (pushes - push + 1)));
  }
}

/** Nothing happens until the end of the day. The server releases unused memory with the last pushes. */
async function rest(midnight: number): Promise<void> {
  pods.endAll();
  objects.deleteAll();
  await pushed();
  clock.advance(Math.max(0, midnight - clock.now()));
  await pushed();
  await analysed();
}

/** Lets periodic searches see the empty mesh: they keep the last mesh that they have searched. */
async function analysed(): Promise<void> {
  for (let period = 0; period < 3; period++) {
    clock.advance(60_000);
    for (let turn = 0; turn < 100; turn++) await setImmediate();
  }
}

/** Lets the debounce window pass, and waits until every push has left. */
async function pushed(): Promise<void> {
  clock.advance(100);
  await discovery.idle();
}

async function endOfDay(day: number): Promise<EndOfDay> {
  await collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return {
    heapKb: Math.round((heapUsed + arrayBuffers) / 1e3),
    timers: clock.pending,
    connections: discovery.connections.size,
    parts: discovery.catalogue.size,
    ...((day === 2 || day === days) && { live: liveCounts() }),
    edits: day * pushes * edits,
    pods: pods.started,
    problems: [...server.galley.problems, ...server.pilot.problems, ...discovery.catalogue.problems].length,
    errors: [...new Set(logger.lines.map(({ message }) => message))],
  };
}
