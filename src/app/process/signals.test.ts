import { expect, test } from "vitest";
import { until } from "../../testing/until.ts";
import { Signals } from "./signals.ts";

test.each(["SIGHUP", "SIGUSR1"] as const)("%s reloads the sources, each time", async (signal) => {
  let reloads = 0;
  using _signals = new Signals({ reload: () => (reloads += 1) });
  process.kill(process.pid, signal);
  await until(() => reloads === 1);
  process.kill(process.pid, signal);
  await until(() => reloads === 2);
  expect(reloads).toBe(2);
});

test.each(["SIGHUP", "SIGUSR1", "SIGTERM", "SIGINT"] as const)("no listener for %s is left afterwards", (signal) => {
  const before = process.listenerCount(signal);
  const signals = new Signals({ reload: () => undefined });
  expect(process.listenerCount(signal)).toBe(before + 1);
  signals[Symbol.dispose]();
  expect(process.listenerCount(signal)).toBe(before);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s stops the process, and a second one is left to the system",
  async (signal) => {
    using signals = new Signals({ reload: () => undefined });
    const before = process.listenerCount(signal);
    process.emit(signal, signal);
    expect(await signals.toldToStop).toBe(signal);
    expect(process.listenerCount(signal)).toBe(before - 1);
  },
);
