import { expect, test } from "vitest";
import { configId } from "../config/config.ts";
import type { Conflict } from "../pilot/model/conflict.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { RecordingLogger } from "../testing/recording-logger.ts";
import { ConflictWatch } from "./conflict-watch.ts";

const conflict: Conflict = {
  type: "virtual-host",
  about: "cart.shop:80",
  winner: configId("VirtualService", "shop", "first"),
  losers: [configId("VirtualService", "shop", "second")],
  reason: "the older one wins",
};

function watch() {
  const logger = new RecordingLogger();
  const world = { version: 1, conflicts: [conflict] as readonly Conflict[], looks: 0 };
  const clock = new FakeClock();
  const watching = new ConflictWatch({
    clock,
    turn: () => Promise.resolve(),
    subject: () => [world.version],
    look: () => {
      world.looks += 1;
      return [world.conflicts, world.conflicts];
    },
    originOf: (id) => ({ source: "test", reference: `${id.split("/")[2]}.yaml:3`, locate: () => undefined }),
    logger,
  });
  return { watching, world, logger, clock };
}

test("a conflict is logged once, with the places of those who are at odds", async () => {
  const { watching, world, logger } = watch();
  await watching.look();
  world.version = 2;
  await watching.look();
  expect(logger.lines).toEqual([
    {
      level: "warn",
      message: "conflict",
      fields: {
        type: "virtual-host",
        about: "cart.shop:80",
        winner: "VirtualService/shop/first (first.yaml:3)",
        losers: ["VirtualService/shop/second (second.yaml:3)"],
        reason: "the older one wins",
      },
    },
  ]);
  expect(watching.conflicts).toEqual([conflict]);
});

test("that it is resolved is logged as well", async () => {
  const { watching, world, logger } = watch();
  await watching.look();
  Object.assign(world, { version: 2, conflicts: [] });
  await watching.look();
  expect(logger.messages("info")).toEqual(["conflict resolved"]);
  expect(watching.conflicts).toEqual([]);
});

test("nobody looks while nothing has changed", async () => {
  const { watching, world } = watch();
  await watching.look();
  await watching.look();
  expect(world.looks).toBe(1);
});

test("it looks every ten seconds, until it is stopped", async () => {
  const { watching, world, clock } = watch();
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
