import { expect, test } from "vitest";
import { type ConfigId, configId } from "../../config/config.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { conflictLog, danglingLog } from "./conflict-log.ts";

const first = configId("VirtualService", "shop", "first");
const second = configId("VirtualService", "shop", "second");

function originOf(id: ConfigId) {
  return id === first ? { source: "test", reference: "first.yaml:3", locate: () => undefined } : undefined;
}

test("a conflict is a warning with the places of its objects, and its end an info line", () => {
  const logger = new RecordingLogger();
  const { appeared, cleared } = conflictLog(logger, originOf);
  const what = { type: "virtual-host", about: "cart.shop:80", reason: "the older one wins" } as const;
  appeared({ ...what, winner: first, losers: [second] });
  cleared({ ...what, winner: undefined, losers: [second] });
  const losers = ["VirtualService/shop/second (gone)"];
  expect(logger.lines).toEqual([
    {
      level: "warn",
      message: "conflict",
      fields: { ...what, winner: "VirtualService/shop/first (first.yaml:3)", losers },
    },
    { level: "info", message: "conflict resolved", fields: { ...what, winner: undefined, losers } },
  ]);
});

test("a reference to a missing object is a warning that names the file and the fallback", () => {
  const logger = new RecordingLogger();
  const dangling = { type: "delegate", name: "teams/carts", fallback: "the route is left out" } as const;
  const { appeared, cleared } = danglingLog(logger, originOf);
  appeared({ owner: first, ...dangling });
  cleared({ owner: first, ...dangling });
  const fields = { object: first, reference: "first.yaml:3", ...dangling };
  expect(logger.lines).toEqual([
    { level: "warn", message: "referenced object not found", fields },
    { level: "info", message: "referenced object found again", fields },
  ]);
});
