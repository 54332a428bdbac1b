import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { PeriodicSearch } from "./periodic-search.ts";

function rig() {
  const world = { version: 1, seen: ["storm"] as readonly string[], searches: 0, broken: false };
  const told: string[] = [];
  const clock = new FakeClock();
  const searching = new PeriodicSearch<string>({
    clock,
    turn: () => Promise.resolve(),
    subject: () => [world.version],
    search: () => {
      world.searches += 1;
      if (world.broken) throw new Error("fog");
      return [world.seen, world.seen];
    },
    sum: (found) => [...new Set(found)],
    appeared: (finding) => told.push(`+${finding}`),
    cleared: (finding) => told.push(`-${finding}`),
    onError: (error) => told.push(String(error)),
  });
  return { searching, world, told, clock };
}

test("a finding is reported once when it appears and once when it disappears", async () => {
  const { searching, world, told } = rig();
  await searching.search();
  world.version = 2;
  await searching.search();
  expect(told).toEqual(["+storm"]);
  expect(searching.findings).toEqual(["storm"]);
  Object.assign(world, { version: 3, seen: ["calm"] });
  await searching.search();
  expect(told).toEqual(["+storm", "+calm", "-storm"]);
});

test("unchanged inputs start no search", async () => {
  const { searching, world } = rig();
  await searching.search();
  await searching.search();
  expect(world.searches).toBe(1);
});

test("a started search runs every ten seconds until it is stopped", async () => {
  const { searching, world, clock } = rig();
  searching.start();
  clock.advance(9_999);
  expect(world.searches).toBe(0);
  clock.advance(1);
  expect(world.searches).toBe(1);
  await searching.stop();
  world.version = 2;
  clock.advance(60_000);
  expect(world.searches).toBe(1);
});

test("a failed search is reported, and the next search runs", async () => {
  const { searching, world, told, clock } = rig();
  world.broken = true;
  searching.start();
  clock.advance(10_000);
  while (told.length === 0 || clock.pending === 0) await Promise.resolve();
  expect(told).toEqual(["Error: fog"]);
  world.broken = false;
  clock.advance(10_000);
  while (told.length === 1) await Promise.resolve();
  expect(told).toEqual(["Error: fog", "+storm"]);
  await searching.stop();
});
