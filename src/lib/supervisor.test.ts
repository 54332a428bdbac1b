import { expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { errorFrom } from "./errors.ts";
import { Supervisor } from "./supervisor.ts";

function supervised() {
  const clock = new FakeClock();
  const failures: string[] = [];
  const onFailure = (part: string, error: unknown) => void failures.push(`${part}: ${errorFrom(error).message}`);
  const supervisor = new Supervisor({ clock, onFailure });
  return { clock, failures, supervisor };
}

function fail(): never {
  throw new Error("boom");
}

test("a part that throws is reported, and the caller goes on", () => {
  const { failures, supervisor } = supervised();
  expect(supervisor.run("gauges", fail)).toBeUndefined();
  expect(supervisor.run("logs", () => 1)).toBe(1);
  expect(failures).toEqual(["gauges: boom"]);
});

test("a part that keeps failing rests longer each time, until it works", () => {
  const { clock, failures, supervisor } = supervised();
  supervisor.run("gauges", fail);
  supervisor.run("gauges", fail);
  expect(failures).toHaveLength(1);
  clock.advance(1_000);
  supervisor.run("gauges", fail);
  clock.advance(1_999);
  expect(supervisor.run("gauges", () => 1)).toBeUndefined();
  clock.advance(1);
  expect(supervisor.run("gauges", () => 1)).toBe(1);
  supervisor.run("gauges", fail);
  clock.advance(1_000);
  expect(supervisor.run("gauges", () => 1)).toBe(1);
  expect(failures).toHaveLength(3);
});

test("a guarded observer and a supervised timer do not throw", () => {
  const { clock, failures, supervisor } = supervised();
  supervisor.guardAll("log", { heard: (_line: string) => fail() }).heard("a");
  supervisor.clockFor("probe").after(10, fail);
  clock.advance(10);
  expect(failures).toEqual(["log: boom", "probe: boom"]);
});

test("a part that failed is tried again when it has rested", () => {
  const { clock, supervisor } = supervised();
  let tries = 0;
  supervisor.failed("analysis", new Error("boom"), () => (tries += 1));
  clock.advance(999);
  expect(tries).toBe(0);
  clock.advance(1);
  expect(tries).toBe(1);
});

test("a report that throws ends nothing", () => {
  const supervisor = new Supervisor({ clock: new FakeClock(), onFailure: fail });
  expect(supervisor.run("gauges", fail)).toBeUndefined();
});
