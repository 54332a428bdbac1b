import { describe, expect, test } from "vitest";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { MemorySource } from "./memory-source.ts";
import type { SourceEvent } from "./source.ts";

const reviews = fakeConfig({ name: "reviews" });
const issue = { severity: "error", code: "bad-value", object: "", path: "", message: "bad", place: undefined } as const;

function recorded(source: MemorySource) {
  const calls: (readonly SourceEvent[])[] = [];
  return { calls, started: source.start((events) => calls.push(events)) };
}

// The rest of the contract is in test/conformance/memory-source.test.ts.
describe("MemorySource", () => {
  test("reports a batch, also a nested one, as one list", async () => {
    const source = new MemorySource({ name: "memory", collections: ["a", "b"] });
    const { calls, started } = recorded(source);
    await started;
    source.batch(() => {
      source.set("a", reviews);
      source.batch(() => source.set("b", reviews));
      source.delete("a", "shop/reviews");
    });
    source.batch(() => {});
    expect(calls.slice(1)).toEqual([
      [
        { type: "upserted", collection: "a", config: reviews },
        { type: "upserted", collection: "b", config: reviews },
        { type: "deleted", collection: "a", key: "shop/reviews" },
      ],
    ]);
  });

  test("ignores the deletion of a missing object, and clearing a clear report", async () => {
    const source = new MemorySource({ name: "memory", collections: ["a"] });
    const { calls, started } = recorded(source);
    await started;
    source.delete("a", "shop/reviews");
    source.delete("b", "shop/reviews");
    source.report("part", []);
    expect(calls).toHaveLength(1);
  });

  test("clears itself in one list, and keeps objects set while it is stopped", async () => {
    const source = new MemorySource({ name: "memory", collections: ["a", "b"] });
    source.set("a", reviews);
    source.delete("a", "shop/reviews");
    source.set("a", reviews);
    const { calls, started } = recorded(source);
    await started;
    expect(calls[0]?.[0]).toEqual({ type: "upserted", collection: "a", config: reviews });
    source.set("b", reviews);
    source.clear();
    source.clear();
    expect(calls.slice(2)).toEqual([
      [
        { type: "deleted", collection: "a", key: "shop/reviews" },
        { type: "deleted", collection: "b", key: "shop/reviews" },
      ],
    ]);
    await source.stop();
    source.set("a", reviews);
    source.clear();
    expect(calls).toHaveLength(3);
  });

  test("keeps its objects over a stop, and replays them at the next start", async () => {
    const source = new MemorySource({ name: "memory", collections: ["a"] });
    const ratings = { ...fakeConfig({ name: "ratings" }), labels: { app: "ratings" }, annotations: { by: "us" } };
    source.set("a", reviews);
    await recorded(source).started;
    await source.stop();
    source.set("a", ratings);
    const { calls, started } = recorded(source);
    await started;
    expect(calls).toEqual([
      [
        { type: "upserted", collection: "a", config: reviews },
        { type: "upserted", collection: "a", config: ratings },
        { type: "fullSync", collection: "a" },
      ],
    ]);
  });

  test("reports an object of an undeclared collection", async () => {
    const source = new MemorySource({ name: "memory", collections: ["a"] });
    const { calls, started } = recorded(source);
    await started;
    source.set("b", reviews);
    expect(calls[1]).toMatchObject([{ type: "issues", part: "b/shop/reviews", issues: [{ code: "unknown-kind" }] }]);
  });

  test("repeats its issues at a start and after a reset", async () => {
    const source = new MemorySource({ name: "memory", collections: ["a"] });
    source.report("part", [issue]);
    const { calls, started } = recorded(source);
    await started;
    source.reset();
    const said: readonly SourceEvent[] = [
      { type: "issues", part: "part", issues: [issue] },
      { type: "fullSync", collection: "a" },
    ];
    expect(calls).toEqual([said, [{ type: "reset" }, ...said]]);
  });
});
