import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Graph } from "../../src/collection/graph.ts";
import { kinds } from "../../src/config/kinds.ts";
import { Processor } from "../../src/galley/processor/processor.ts";
import { transformsFor } from "../../src/galley/processor/transforms.ts";
import { Snapshotter } from "../../src/galley/snapshotter/snapshotter.ts";
import { debounce, immediate } from "../../src/galley/snapshotter/strategy.ts";
import { MemorySource } from "../../src/galley/source/memory-source.ts";
import type { Source } from "../../src/galley/source/source.ts";
import { fakeConfig } from "../../src/testing/config/fake-config.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { RecordingDistributor } from "../../src/testing/recording/recording-distributor.ts";

const entries = "k8s/networking.istio.io/v1alpha3/serviceentries";
const output = "istio/networking/v1alpha3/serviceentries";
const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";

/** A source that is up only when the test says so. */
function held(source: MemorySource): { readonly source: Source; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const start: Source["start"] = async (handler) => {
    await promise;
    await source.start(handler);
  };
  const { name, collections } = source;
  return {
    source: { name, collections, start, stop: () => source.stop(), idle: () => source.idle() },
    release: resolve,
  };
}

describe("Galley, from sources to snapshots", () => {
  const collections = kinds.map(({ collection }) => collection);
  let clock: FakeClock;
  let files: MemorySource;
  let registry: MemorySource;
  /** The local link gets every commit, MCP clients get what a pause lets through. */
  let link: RecordingDistributor;
  let mcp: RecordingDistributor;
  let processor: Processor;
  let snapshotter: Snapshotter;
  let release: () => void;

  beforeEach(() => {
    clock = new FakeClock();
    link = new RecordingDistributor();
    mcp = new RecordingDistributor();
    files = new MemorySource({ name: "files", collections });
    registry = new MemorySource({ name: "registry", collections: [entries] });
    const slow = held(registry);
    release = slow.release;
    const graph = new Graph();
    processor = new Processor({ graph, sources: [files, slow.source], transforms: transformsFor(kinds) });
    snapshotter = new Snapshotter({
      graph,
      publications: (["default", "syntheticServiceEntry"] as const).flatMap((group) => {
        const collections = processor.outputsOf(group);
        return [
          { group, collections, strategy: immediate(), distributor: link },
          { group, collections, strategy: debounce({ clock }), distributor: mcp },
        ];
      }),
      onError: (error) => {
        throw error;
      },
    });
    snapshotter.start();
  });

  afterEach(async () => {
    release();
    snapshotter.stop();
    await processor.stop();
  });

  async function start(): Promise<void> {
    const started = processor.start();
    release();
    await started;
    clock.advance(1000);
  }

  test("a group is published after all its sources have synced", async () => {
    files.set(entries, fakeConfig({ name: "reviews" }));
    const started = processor.start();
    clock.advance(10_000);
    expect(link.of("default")).toEqual([]);
    expect(mcp.of("default")).toEqual([]);
    registry.set(entries, fakeConfig({ name: "details" }));
    release();
    await started;
    expect(link.of("default")).toHaveLength(1);
    expect(link.keys("default", output)).toEqual(["shop/details", "shop/reviews"]);
  });

  test("the group of services is published separately, even if empty, after its own sources have synced", async () => {
    clock.advance(500);
    expect(link.of("syntheticServiceEntry")).toEqual([]);
    const started = processor.start();
    await files.idle();
    clock.advance(500);
    expect(link.keys("syntheticServiceEntry", synthetic)).toEqual([]);
    expect(mcp.keys("syntheticServiceEntry", synthetic)).toEqual([]);
    expect(link.of("default")).toEqual([]);
    release();
    await started;
  });

  test("each commit reaches the local link at once, and a burst is one snapshot over MCP", async () => {
    await start();
    for (const name of ["reviews", "details", "ratings"]) {
      files.set(entries, fakeConfig({ name }));
      clock.advance(100);
    }
    expect(link.of("default")).toHaveLength(1 + 3);
    expect(mcp.of("default")).toHaveLength(1);
    clock.advance(400);
    expect(mcp.of("default")).toHaveLength(1 + 1);
    expect(mcp.keys("default", output)).toEqual(["shop/details", "shop/ratings", "shop/reviews"]);
  });

  test("a reset of sources with unchanged objects publishes nothing", async () => {
    files.set(entries, fakeConfig({ name: "reviews" }));
    registry.set(entries, fakeConfig({ name: "details" }));
    await start();
    registry.reset();
    files.reset();
    clock.advance(1000);
    expect(link.of("default")).toHaveLength(1);
    expect(mcp.of("default")).toHaveLength(1);
  });

  test("an unchanged collection keeps its version, and equal content has equal versions", async () => {
    await start();
    files.set(entries, fakeConfig({ name: "reviews" }));
    files.delete(entries, "shop/reviews");
    const [first, second, third] = link.of("default");
    const gateways = "istio/networking/v1alpha3/gateways";
    expect(second?.version(gateways)).toBe(first?.version(gateways));
    expect(second?.version(output)).not.toBe(first?.version(output));
    expect(third?.version(output)).toBe(first?.version(output));
  });

  test("a stop also drops pending snapshots", async () => {
    await start();
    files.set(entries, fakeConfig({ name: "reviews" }));
    snapshotter.stop();
    files.set(entries, fakeConfig({ name: "details" }));
    clock.advance(10_000);
    expect(mcp.of("default")).toHaveLength(1);
    expect(link.keys("default", output)).toEqual(["shop/reviews"]);
  });
});
