import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { type Component, component, Lifecycle } from "./lifecycle.ts";

const nothing = () => Promise.resolve();

function recording() {
  const steps: string[] = [];
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const step = (name: string, { start = nothing, stop = nothing }: Partial<Component> = {}) =>
    component(name, {
      start() {
        steps.push(`start ${name}`);
        return start();
      },
      stop() {
        steps.push(`stop ${name}`);
        return stop();
      },
    });
  const lifecycle = (...components: readonly Component[]) =>
    new Lifecycle({ components, clock, logger, stopWithinMs: 1000 });
  return { steps, clock, logger, step, lifecycle };
}

describe("a lifecycle", () => {
  test("starts in order and stops in reverse, once, and logs it", async () => {
    const { steps, logger, step, lifecycle } = recording();
    const host = lifecycle(step("a"), step("b"));
    await host.start();
    await host.stop();
    await host.stop();
    expect(steps).toEqual(["start a", "start b", "stop b", "stop a"]);
    expect(logger.lines.map(({ fields, message }) => ({ ...fields, message }))).toEqual([
      { component: "a", message: "started" },
      { component: "b", message: "started" },
      { component: "b", message: "stopped" },
      { component: "a", message: "stopped" },
    ]);
  });

  test("stops, in reverse, the components before the one that fails to start, and not that one", async () => {
    const { steps, step, lifecycle } = recording();
    const failing = step("c", { start: () => Promise.reject(new Error("no port")) });
    await expect(lifecycle(step("a"), step("b"), failing, step("d")).start()).rejects.toThrow("no port");
    expect(steps).toEqual(["start a", "start b", "start c", "stop b", "stop a"]);
  });

  test("reports the start error even if other components then fail to stop", async () => {
    const { logger, step, lifecycle } = recording();
    const stuck = step("a", { stop: () => Promise.reject(new Error("stuck")) });
    const failing = step("b", { start: () => Promise.reject(new Error("no port")) });
    await expect(lifecycle(stuck, failing).start()).rejects.toThrow("no port");
    expect(logger.messages("error")).toEqual(["not stopped"]);
  });

  test("refuses to start a second time, and keeps running", async () => {
    const { steps, step, lifecycle } = recording();
    const host = lifecycle(step("a"));
    await host.start();
    await expect(host.start()).rejects.toThrow("stopped before it starts again");
    expect(steps).toEqual(["start a"]);
  });

  test("may be started again after a stop, and after a failed start", async () => {
    const { steps, step, lifecycle } = recording();
    let port = "taken";
    const host = lifecycle(
      step("a", { start: () => (port === "taken" ? Promise.reject(new Error("taken")) : nothing()) }),
    );
    await expect(host.start()).rejects.toThrow("taken");
    port = "free";
    await host.start();
    const stopped = host.stop();
    const startedAgain = host.start();
    await Promise.all([stopped, startedAgain]);
    expect(steps).toEqual(["start a", "start a", "stop a", "start a"]);
  });

  test.each(["a", "b"])("that is stopped while %s starts does not start the rest, nor resolve", async (slow) => {
    const { steps, step, lifecycle } = recording();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const start = (name: string) => async () => {
      if (name !== slow) return;
      reach();
      await promise;
    };
    const host = lifecycle(step("a", { start: start("a") }), step("b", { start: start("b") }));
    const started = host.start();
    await reached;
    await host.stop();
    resolve();
    await expect(started).rejects.toMatchObject({ code: "cancelled" });
    expect(steps.filter((line) => line.startsWith("stop"))).toEqual(slow === "a" ? ["stop a"] : ["stop b", "stop a"]);
  });

  test("cancels its start when it is stopped, however long a component takes", async () => {
    const { step, lifecycle } = recording();
    const { promise: never } = Promise.withResolvers<void>();
    const host = lifecycle(step("a", { start: () => never }));
    const started = host.start();
    await host.stop();
    await expect(started).rejects.toMatchObject({ code: "cancelled" });
  });

  test("stops the others when one fails to stop, and reports it", async () => {
    const { steps, step, lifecycle } = recording();
    const host = lifecycle(step("a"), step("b", { stop: () => Promise.reject(new Error("stuck")) }));
    await host.start();
    await expect(host.stop()).rejects.toMatchObject({ errors: [expect.objectContaining({ message: "stuck" })] });
    expect(steps).toContain("stop a");
  });

  test("stops waiting for a component that never stops, and stops the others", async () => {
    const { steps, clock, step, lifecycle } = recording();
    const { promise: never } = Promise.withResolvers<void>();
    const host = lifecycle(step("a"), step("b", { stop: () => never }));
    await host.start();
    const stopped = host.stop();
    clock.advance(1000);
    await expect(stopped).rejects.toMatchObject({ errors: [expect.objectContaining({ code: "timeout" })] });
    expect(steps.at(-1)).toBe("stop a");
    expect(clock.pending).toBe(0);
  });

  test("resolves every stop only when the last component has stopped", async () => {
    const { steps, step, lifecycle } = recording();
    const { promise, resolve } = Promise.withResolvers<void>();
    const host = lifecycle(step("a"), step("b", { stop: () => promise }));
    await host.start();
    const stops = [host.stop(), host.stop()].map((stop) => stop.then(() => steps.push("quiet")));
    expect(steps).toEqual(["start a", "start b", "stop b"]);
    resolve();
    await Promise.all(stops);
    expect(steps.slice(2)).toEqual(["stop b", "stop a", "quiet", "quiet"]);
  });
});
