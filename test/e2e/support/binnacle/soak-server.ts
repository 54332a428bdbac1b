/**
 * `node --expose-gc soak-server.ts DIR`: runs the server of `binnacle serve DIR`, in a process that a test can inspect.
 * It prints its port. For every line it reads, it prints its footprint after garbage collection.
 */
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { processLog } from "../../../../src/app/log/process-log.ts";
import { defaultOptions } from "../../../../src/app/options/options.ts";
import { systemClock } from "../../../../src/app/process/system-clock.ts";
import { wire } from "../../../../src/app/wire.ts";
import type { Clock } from "../../../../src/lib/time/clock.ts";
import type { Footprint } from "./soaked-server.ts";

const timers = new Set<symbol>();

/** The system clock, with a count of pending timers. */
const countingClock: Clock = {
  now: () => systemClock.now(),
  after(ms, run) {
    const timer = Symbol("timer");
    timers.add(timer);
    const cancel = systemClock.after(ms, () => {
      timers.delete(timer);
      run();
    });
    return () => {
      timers.delete(timer);
      cancel();
    };
  },
};

const listeners = { xds: "127.0.0.1:0", http: "off", metrics: "off", ctrlz: "off" };
const logLevel = { default: "error" } as const;
const options = { ...defaultOptions(), ...listeners, sources: [`file:${process.argv[2]}`], logLevel };
const {
  lifecycle,
  discovery,
  listeners: bound,
} = wire(options, {
  clock: countingClock,
  logger: processLog("json").logger,
  version: "soak",
});
await lifecycle.start();
process.stdout.write(`port ${bound.addresses.xds}\n`);

for await (const _ of createInterface({ input: process.stdin })) {
  // Objects dropped in this turn are garbage in the next. Objects released by finalizers are garbage one turn later.
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.();
    await setImmediate();
  }
  process.stdout.write(`footprint ${JSON.stringify(footprint())}\n`);
}

function footprint(): Footprint {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return {
    heapMb: (heapUsed + arrayBuffers) / 1e6,
    parts: discovery.catalogue.size,
    connections: [...discovery.connections].length,
    timers: timers.size,
    sockets: process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length,
  };
}
