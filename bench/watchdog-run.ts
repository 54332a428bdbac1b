/** The cost of the watchdog's thread: `node bench/watchdog-run.ts SECONDS`, JSON out. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../src/app/process/system-clock.ts";
import { Watchdog } from "../src/app/watchdog/watchdog.ts";
import { nullLogger } from "./sizing/null-logger.ts";
import type { WatchdogFigures } from "./watchdog.ts";

const seconds = Number(process.argv[2]);
const tasks = "/proc/self/task";

/** Nanoseconds on a processor, by thread. */
function runTimes(): ReadonlyMap<string, number> {
  const times = readdirSync(tasks).map((task) => {
    const [ns] = readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ");
    return [task, Number(ns)] as const;
  });
  return new Map(times);
}

const before = new Set(runTimes().keys());
const rssBefore = process.memoryUsage.rss();
const clock = { part: "bench", ...systemClock };
const watchdog = new Watchdog({ stallMs: 5_000, format: "json", clock, logger: nullLogger });
watchdog.start();
await pause(2_000);
const rssBytes = process.memoryUsage.rss() - rssBefore;
const own = [...runTimes()].filter(([task]) => !before.has(task));
await pause(seconds * 1_000);
const after = runTimes();
const busyNs = own.reduce((sum, [task, ns]) => sum + (after.get(task) ?? ns) - ns, 0);
await watchdog.stop();
const figures: WatchdogFigures = { threadMs: busyNs / 1e6, seconds, rssBytes };
process.stdout.write(JSON.stringify(figures));
