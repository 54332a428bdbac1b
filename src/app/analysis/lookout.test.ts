import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { Lookout } from "./lookout.ts";

function lookout() {
  const world = { version: 1, seen: ["storm"] as readonly string[], looks: 0, broken: false };
  const told: string[] = [];
  const clock = new FakeClock();
  const watching = new Lookout<string>({
    clock,
    turn: () => Promise.resolve(),
    subject: () => [world.version],
    look: () => {
      world.looks += 1;
      if (world.broken) throw new Error("fog");
      return [world.seen, world.seen];
    },
    sum: (found) => [...new Set(found)],
    appeared: (finding) => told.push(`+${finding}`),
    cleared: (finding) => told.push(`-${finding}`),
    onError: (error) => told.push(String(error)),
  });
  return { watching, world, told, clock };
}

test("a finding is reported once when it appears and once when it disappears", async () => {
  const { watching, world, told } = lookout();
  await watching.look();
  world.version = 2;
  await watching.look();
  expect(told).toEqual(["+storm"]);
  expect(watching.findings).toEqual(["storm"]);
  Object.assign(world, { version: 3, seen: ["calm"] });
  await watching.look();
  expect(told).toEqual(["+storm", "+calm", "-storm"]);
});

test("unchanged inputs start no search", async () => {
  const { watching, world } = lookout();
  await watching.look();
  await watching.look();
  expect(world.looks).toBe(1);
});

test("it searches every ten seconds, until it is stopped", async () => {
  const { watching, world, clock } = lookout();
  watching.start();
  clock.advance(9_999);
  expect(world.looks).toBe(0);
  clock.advance(1);
  expect(world.looks).toBe(1);
  await watching.stop();
  world.version = 2;
  clock.advance(60_000);
  expect(world.looks).toBe(1);
});

test("a failed search is reported, and the next search runs", async () => {
  const { watching, world, told, clock } = lookout();
  world.broken = true;
  watching.start();
  clock.advance(10_000);
  while (told.length === 0 || clock.pending === 0) await Promise.resolve();
  expect(told).toEqual(["Error: fog"]);
  world.broken = false;
  clock.advance(10_000);
  while (told.length === 1) await Promise.resolve();
  expect(told).toEqual(["Error: fog", "+storm"]);
  await watching.stop();
});
