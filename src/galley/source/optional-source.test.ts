import { beforeEach, describe, expect, test } from "vitest";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { SourceRecorder } from "../../testing/recording/source-recorder.ts";
import { MemorySource } from "./memory-source.ts";
import { OptionalSource } from "./optional-source.ts";
import type { Source } from "./source.ts";

// The rest of the contract is in test/conformance/memory-source.test.ts.
describe("an optional source", () => {
  let clock: FakeClock;
  let heard: SourceRecorder;
  let memory: MemorySource;

  beforeEach(() => {
    clock = new FakeClock();
    heard = new SourceRecorder();
    memory = new MemorySource({ name: "registry", collections: ["a", "b"] });
    memory.set("a", fakeConfig({ name: "reviews" }));
  });

  function optional(start: Source["start"]): OptionalSource {
    const { name, collections } = memory;
    const source = { name, collections, start, stop: () => memory.stop(), idle: () => memory.idle() };
    return new OptionalSource(source, { clock, waitMs: 5_000 });
  }

  const types = () => heard.events.map(({ type }) => type);

  test("that is in time behaves like any other", async () => {
    await optional((handler) => memory.start(handler)).start(heard.handler);
    clock.advance(60_000);
    expect(types()).toEqual(["upserted", "fullSync", "fullSync"]);
    expect(clock.pending).toBe(0);
  });

  test("that is late has an issue until it syncs, and its objects count then", async () => {
    const up = Promise.withResolvers<void>();
    const source = optional((handler) => up.promise.then(() => memory.start(handler)));
    const started = source.start(heard.handler);
    clock.advance(4_999);
    expect(types()).toEqual([]);
    clock.advance(1);
    await started;
    expect(types()).toEqual(["overdue", "issues"]);
    expect(heard.allIssues).toMatchObject([{ severity: "warning", code: "source-late" }]);
    up.resolve();
    await source.idle();
    await up.promise;
    expect(heard.names).toEqual(["reviews"]);
    expect(heard.allIssues).toEqual([]);
  });

  test("that fails to start has an issue, and is retried at growing intervals", async () => {
    let attempts = 0;
    const source = optional((handler) => {
      attempts += 1;
      return attempts < 8 ? Promise.reject(new Error("refused")) : memory.start(handler);
    });
    await source.start(heard.handler);
    expect(types()).toEqual(["overdue", "issues"]);
    expect(heard.allIssues).toMatchObject([{ code: "source-unavailable" }]);
    const pauses = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
    for (const [index, pause] of pauses.entries()) {
      clock.advance(pause - 1);
      expect(attempts).toBe(index + 1);
      clock.advance(1);
      expect(attempts).toBe(index + 2);
      await Promise.resolve();
      await Promise.resolve();
    }
    clock.advance(30_000);
    expect(heard.names).toEqual(["reviews"]);
    expect(heard.allIssues).toEqual([]);
  });

  test("reports nothing after its stop, and does not retry", async () => {
    const source = optional(() => Promise.reject(new Error("refused")));
    await source.start(heard.handler);
    await source.stop();
    clock.advance(60_000);
    expect(heard.calls).toHaveLength(1);
    const hanging = optional(() => new Promise(() => {}));
    const started = hanging.start(heard.handler);
    await hanging.stop();
    await started;
    clock.advance(60_000);
    expect(heard.calls).toHaveLength(1);
  });
});
