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

test("a part that throws is reported, and the caller continues", () => {
  const { failures, supervisor } = supervised();
  expect(supervisor.run("gauges", fail)).toBeUndefined();
  expect(supervisor.run("logs", () => 1)).toBe(1);
  expect(failures).toEqual(["gauges: boom"]);
});

test("a part that keeps failing pauses longer each time, until it works", () => {
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

test("a part that failed is tried again after its pause", () => {
  const { clock, supervisor } = supervised();
  let tries = 0;
  supervisor.failed("analysis", new Error("boom"), { again: () => (tries += 1) });
  clock.advance(999);
  expect(tries).toBe(0);
  clock.advance(1);
  expect(tries).toBe(1);
});

test("a report that throws stops nothing", () => {
  const supervisor = new Supervisor({ clock: new FakeClock(), onFailure: fail });
  expect(supervisor.run("gauges", fail)).toBeUndefined();
});

test("a listener catches up with missed calls after the pause of its part", () => {
  const { clock, supervisor } = supervised();
  const heard: string[] = [];
  let works = false;
  const hear = (what: string) => void (works ? heard.push(what) : fail());
  const listener = supervisor.guard("status", hear, { again: () => hear("everything") });
  listener("first");
  works = true;
  listener("second");
  expect(heard).toEqual([]);
  clock.advance(1_000);
  expect(heard).toEqual(["everything"]);
  listener("third");
  expect(heard).toEqual(["everything", "third"]);
});
