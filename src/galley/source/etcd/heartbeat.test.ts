import { setImmediate as settled } from "node:timers/promises";
import { expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { Heartbeat } from "./heartbeat.ts";

function rig(check: () => Promise<unknown>) {
  const clock = new FakeClock();
  const failures: string[] = [];
  const heartbeat = new Heartbeat({ clock, everyMs: 100, check, onFailure: ({ message }) => failures.push(message) });
  return { clock, failures, heartbeat };
}

test("a successful check is repeated", async () => {
  let checks = 0;
  const { clock, failures } = rig(async () => (checks += 1));
  for (let beat = 1; beat <= 3; beat += 1) {
    clock.advance(100);
    await settled();
    expect(checks).toBe(beat);
  }
  expect(failures).toEqual([]);
});

test("a check fails when it rejects, and when it never ends", async () => {
  const failing = rig(() => Promise.reject(new Error("no leader")));
  failing.clock.advance(100);
  await settled();
  expect(failing.failures).toEqual(["no leader"]);
  const hanging = rig(() => Promise.withResolvers<void>().promise);
  hanging.clock.advance(100);
  hanging.clock.advance(100);
  expect(hanging.failures).toEqual(["no response for 100 ms"]);
});

test("a check that ends after disposal reports nothing", async () => {
  const check = Promise.withResolvers<void>();
  const { clock, failures, heartbeat } = rig(() => check.promise);
  clock.advance(100);
  heartbeat[Symbol.dispose]();
  check.reject(new Error("late"));
  await settled();
  clock.advance(1_000);
  expect(failures).toEqual([]);
});
