import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { MeshError } from "../lib/errors.ts";
import type { Cancel, Clock } from "../lib/time/clock.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { TempTree } from "../testing/temp-tree.ts";
import { type ControlPlaneOptions, createControlPlane, createGalley } from "./control-plane.ts";
import { systemClock } from "./process/system-clock.ts";

const rounds = 50;
/** Number of last rounds that a stack may still reference. */
const remembered = 3;
const anyPorts = {
  xds: "127.0.0.1:0",
  mcp: "127.0.0.1:0",
  http: "127.0.0.1:0",
  metrics: "127.0.0.1:0",
  ctrlz: "127.0.0.1:0",
};

let collectGarbage: () => void;
beforeAll(() => {
  setFlagsFromString("--expose-gc");
  collectGarbage = runInNewContext("gc") as () => void;
});

async function meshFolder(): Promise<TempTree> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  await tree.write("a.yaml", "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}");
  await tree.write("mesh.yml", "ingressClass: istio");
  return tree;
}

/** Sockets and watches of this process. */
function handles(): number {
  const kinds = new Set(["TCPServerWrap", "TCPSocketWrap", "FSEventWrap"]);
  return process.getActiveResourcesInfo().filter((kind) => kinds.has(kind)).length;
}

function listeners(): readonly (readonly [name: unknown, count: number])[] {
  return process.eventNames().map((name) => [name, process.listenerCount(name)]);
}

/** The time of the machine, and how many timers run on it. */
class CountingClock implements Clock {
  timers = 0;

  now(): number {
    return systemClock.now();
  }

  after(ms: number, run: () => void): Cancel {
    let end = () => {
      this.timers -= 1;
      end = () => {};
    };
    this.timers += 1;
    const cancel = systemClock.after(ms, () => {
      end();
      run();
    });
    return () => {
      end();
      cancel();
    };
  }
}

interface HostContext {
  readonly logger: RecordingLogger;
  readonly clock: Clock;
}

/** The logger lives as long as something of its control plane does. */
async function once(run: (host: HostContext) => Promise<void>): Promise<WeakRef<RecordingLogger>> {
  const logger = new RecordingLogger();
  const clock = new CountingClock();
  await run({ logger, clock });
  expect(clock.timers).toBe(0);
  return new WeakRef(logger);
}

async function manyTimes(run: (host: HostContext, round: number) => Promise<void>): Promise<void> {
  const before = { handles: handles(), listeners: listeners() };
  const loggers: WeakRef<RecordingLogger>[] = [];
  for (let round = 0; round < rounds; round += 1) loggers.push(await once((around) => run(around, round)));
  // Closed handles end only in the next turn of the event loop.
  await setImmediate();
  for (let turns = 0; handles() > before.handles && turns < 1000; turns += 1) await setImmediate();
  collectGarbage();
  expect(listeners()).toEqual(before.listeners);
  expect(handles()).toBeLessThanOrEqual(before.handles);
  expect(loggers.filter((logger) => logger.deref() !== undefined).length).toBeLessThan(remembered);
}

/** Avoids `rejects`, which keeps the error and so every object on its stack. */
async function failureOf(server: { start(): Promise<unknown> }): Promise<string> {
  return await server.start().then(
    () => "none",
    (thrown: unknown) => MeshError.from(thrown).code,
  );
}

describe("nothing stays open, listens or stays in memory after fifty", () => {
  test("control planes that were started, queried and stopped", async () => {
    const { directory } = await meshFolder();
    await manyTimes(async (around, round) => {
      const options: ControlPlaneOptions = {
        ...anyPorts,
        sources: [`file:${directory}`, `file:${directory}/later?optional=10s`],
        mesh: `${directory}/mesh.yml`,
        livenessFile: `${directory}/alive`,
        readinessFile: `${directory}/ready`,
        profiling: round % 2 === 0,
        ...around,
      };
      const plane = createControlPlane(options);
      const { metrics } = await plane.start();
      expect((await fetch(`http://${metrics}/metrics`)).status).toBe(200);
      await plane.stop();
    });
  });

  test("Galleys that were stopped during their start", async () => {
    const { directory } = await meshFolder();
    await manyTimes(async (around) => {
      const galley = createGalley({ ...anyPorts, sources: [`file:${directory}`], ...around });
      const [code] = await Promise.all([failureOf(galley), galley.stop()]);
      expect(code).toBe("cancelled");
    });
  });

  test("control planes that could not start", async () => {
    const { directory } = await meshFolder();
    await manyTimes(async (around) => {
      const plane = createControlPlane({ ...anyPorts, sources: [`file:${directory}/nowhere`], ...around });
      expect(await failureOf(plane)).toBe("source-unavailable");
    });
  });
});
