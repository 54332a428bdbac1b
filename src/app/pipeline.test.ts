import { expect, test } from "vitest";
import type { Distributor } from "../galley/snapshotter/distributor.ts";
import { immediate } from "../galley/snapshotter/strategy.ts";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { YamlSource } from "../testing/galley/yaml-source.ts";
import { RecordingDistributor } from "../testing/recording/recording-distributor.ts";
import { RecordingObserver } from "../testing/recording/recording-observer.ts";
import { rawClient, shopEntry } from "../testing/server/wired-server.ts";
import { turns } from "../testing/until.ts";
import { clusterType } from "../xds/type-urls.ts";
import { defaultOptions } from "./options/options.ts";
import { buildPipeline, type PipelineOptions, protocolDefaults } from "./pipeline.ts";

function pipelineOn(source: YamlSource, options: Partial<PipelineOptions> = {}) {
  return buildPipeline({
    sources: [source],
    settings: { domain: "cluster.local", clusterId: "Kubernetes" },
    clock: new FakeClock(),
    turn: () => Promise.resolve(),
    debounce: { quietMs: 0, maxWaitMs: 0 },
    observer: new RecordingObserver(),
    protocol: protocolDefaults,
    onUpdate: () => undefined,
    onSnapshotError: (error) => {
      throw error;
    },
    ...options,
  });
}

test("a change reaches witnesses, then Pilot, then other servers, and analysis last", async () => {
  const source = new YamlSource();
  const order: string[] = [];
  const told = (name: string): Distributor => ({
    distribute: ({ group }) => void (group === "syntheticServiceEntry" || order.push(`${name} ${group}`)),
  });
  const { snapshotter, processor } = pipelineOn(source, {
    snapshotObservers: [told("first witness"), told("second witness")],
    onUpdate: () => void order.push("Pilot"),
    mcpOutput: { distributor: told("elsewhere"), strategyOf: () => immediate() },
    analysis: { distributor: told("analysis"), strategy: immediate() },
  });
  snapshotter.start();
  await processor.start();
  order.length = 0;
  source.apply(shopEntry("reviews"));
  expect(order).toEqual([
    "first witness default",
    "second witness default",
    "Pilot",
    "elsewhere default",
    "analysis localAnalysis",
  ]);
  await processor.stop();
});

test("Pilot waits for all groups that it gets", async () => {
  const { link, snapshotter, processor } = pipelineOn(new YamlSource());
  expect([...link.awaited]).toEqual(["default", "syntheticServiceEntry", "credentials"]);
  snapshotter.start();
  await processor.start();
  expect([...link.awaited]).toEqual([]);
  await processor.stop();
});

test("analysis gets more collections than Pilot", async () => {
  const [analysis, witness] = [new RecordingDistributor(), new RecordingDistributor()];
  const { snapshotter, processor } = pipelineOn(new YamlSource(), {
    snapshotObservers: [witness],
    analysis: { distributor: analysis, strategy: immediate() },
  });
  snapshotter.start();
  await processor.start();
  const [analyzed] = analysis.of("localAnalysis");
  const pilots = witness.snapshots.flatMap(({ collections }) => [...collections.keys()]);
  expect(analyzed?.collections.size).toBeGreaterThan(witness.of("default")[0]?.collections.size ?? 0);
  expect(new Set(analyzed?.collections.keys()).difference(new Set(pilots))).toContain("k8s/core/v1/pods");
  await processor.stop();
});

test("pushes have increasing numbers, and begin when their change came", async () => {
  const source = new YamlSource();
  const clock = new FakeClock();
  clock.advance(70);
  const startedAt: number[] = [];
  const { snapshotter, processor, discovery } = pipelineOn(source, {
    clock,
    onUpdate: (request) => void startedAt.push(request.startedAt),
  });
  expect(discovery.catalogue.published.sequence).toBe(0);
  snapshotter.start();
  await processor.start();
  const sequences: number[] = [];
  for (const name of ["reviews", "ratings"]) {
    source.apply(shopEntry(name));
    clock.advance(10);
    await discovery.idle();
    sequences.push(discovery.catalogue.published.sequence);
  }
  const [first = Number.NaN, second] = sequences;
  expect(second).toBe(first + 1);
  expect(startedAt.slice(-2)).toEqual([70, 80]);
  await processor.stop();
});

test("a push of endpoints has the endpoints of now, and the services of the push before", async () => {
  const source = new YamlSource();
  const clock = new FakeClock();
  const { snapshotter, processor, discovery } = pipelineOn(source, {
    clock,
    debounce: { quietMs: 100, maxWaitMs: 100 },
  });
  source.apply(shopEntry("reviews"));
  snapshotter.start();
  await processor.start();
  clock.advance(100);
  await discovery.idle();
  source.apply(shopEntry("ratings", "10.0.0.9"));
  source.apply(shopEntry("reviews", "10.0.0.2"));
  clock.advance(1);
  await turns(20);
  const { services, endpoints, instances } = discovery.catalogue.published;
  expect([...services.values()].map(({ hostname }) => hostname)).toEqual(["reviews.example"]);
  const addresses = [...endpoints.values()].flatMap((each) => each.endpoints.map(({ address }) => address));
  expect(addresses).toContain("10.0.0.2");
  expect(JSON.stringify([...instances.entries()])).toContain("10.0.0.2");
  await processor.stop();
  discovery.stop();
});

test("a proxy must be who its certificate says, unless the options say otherwise", async () => {
  const { snapshotter, processor, discovery } = pipelineOn(new YamlSource());
  snapshotter.start();
  await processor.start();
  await discovery.idle();
  discovery.markReady();
  const peer = { address: "10.0.0.9:1", identities: ["spiffe://cluster.local/ns/other/sa/default"] };
  const proxy = rawClient(discovery, peer);
  proxy.ask(clusterType, { id: "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local" });
  expect(proxy.client.status?.code).toBe(GrpcStatus.PERMISSION_DENIED);
  await processor.stop();
});

test("the pipeline has the defaults of the options", async () => {
  const { ackTimeoutMs, flowControl } = defaultOptions();
  expect(protocolDefaults).toMatchObject({ ackTimeoutMs, flowControl });
  const source = new YamlSource();
  const { processor } = pipelineOn(source);
  const issue = { severity: "error", code: "no-effect", object: "a", path: "", message: "", place: undefined } as const;
  source.report("a.yaml", [issue]);
  await processor.start();
  const issues = [...processor.issues.values()].flatMap((part) => part.issues);
  expect(issues.map(({ severity }) => severity)).toEqual([defaultOptions().allowUnenforced ? "warning" : "error"]);
  await processor.stop();
});
