import { expect, test } from "vitest";
import { Listeners } from "./listeners.ts";

test("a listener loses its address when its stop begins, so that it does not look ready", async () => {
  const listeners = new Listeners();
  const drained = Promise.withResolvers<void>();
  const component = listeners.component("xds", {
    start: () => Promise.resolve("127.0.0.1:15010"),
    stop: () => drained.promise,
  });
  await component.start();
  expect(listeners.addresses.xds).toBe("127.0.0.1:15010");
  const stopped = component.stop();
  expect(listeners.addresses.xds).toBe("");
  drained.resolve();
  await stopped;
});
