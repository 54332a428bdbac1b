import { describe, expect, test } from "vitest";
import { type Component, Lifecycle } from "./lifecycle.ts";

function recording() {
  const steps: string[] = [];
  const component = (name: string, start: () => Promise<void> = async () => undefined): Component => ({
    start() {
      steps.push(`start ${name}`);
      return start();
    },
    async stop() {
      steps.push(`stop ${name}`);
    },
  });
  return { steps, component };
}

describe("a lifecycle", () => {
  test("starts in order and stops in reverse, once", async () => {
    const { steps, component } = recording();
    const lifecycle = new Lifecycle([component("a"), component("b")]);
    await lifecycle.start();
    await lifecycle.stop();
    await lifecycle.stop();
    expect(steps).toEqual(["start a", "start b", "stop b", "stop a"]);
  });

  test("stops what has started when one cannot start", async () => {
    const { steps, component } = recording();
    const failing = component("b", () => Promise.reject(new Error("no port")));
    await expect(new Lifecycle([component("a"), failing, component("c")]).start()).rejects.toThrow("no port");
    expect(steps).toEqual(["start a", "start b", "stop b", "stop a"]);
  });

  test("that is stopped while it starts does not start the rest", async () => {
    const { steps, component } = recording();
    const { promise, resolve } = Promise.withResolvers<void>();
    const lifecycle = new Lifecycle([component("a", () => promise), component("b")]);
    const started = lifecycle.start();
    await lifecycle.stop();
    resolve();
    await expect(started).rejects.toMatchObject({ code: "cancelled" });
    expect(steps).toEqual(["start a", "stop a"]);
  });

  test("stops the others when one fails to stop, and says so", async () => {
    const { steps, component } = recording();
    const stuck = { ...component("b"), stop: () => Promise.reject(new Error("stuck")) };
    const lifecycle = new Lifecycle([component("a"), stuck]);
    await lifecycle.start();
    await expect(lifecycle.stop()).rejects.toMatchObject({ errors: [expect.objectContaining({ message: "stuck" })] });
    expect(steps).toContain("stop a");
  });
});
