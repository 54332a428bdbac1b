import { afterEach, beforeEach, expect, test } from "vitest";
import { immediate } from "../../galley/snapshotter/strategy.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingDistributor } from "../../testing/recording/recording-distributor.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { buildGalley } from "../build-galley.ts";
import { unobservedGalleys } from "../mcp/remote-galleys.ts";
import { defaultOptions, type Options } from "../options/options.ts";
import { sourceMaker, sourcesFrom } from "./sources.ts";

const cluster = `
apiVersion: v1
kind: Service
metadata: {name: reviews, namespace: shop}
spec: {clusterIP: 10.0.0.1, ports: [{name: http, port: 80}]}
---
apiVersion: v1
kind: Secret
metadata: {name: key, namespace: shop}
stringData: {key: secret}
---
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: shop}
spec: {mtls: {mode: STRICT}}
`;

let tree: TempTree;

beforeEach(async () => {
  tree = await TempTree.create();
  await tree.write("cluster.yaml", cluster);
});

afterEach(() => tree.close());

/** The snapshots that a Galley with these options publishes from that file. */
async function published(options: Partial<Options>): Promise<RecordingDistributor> {
  const distributor = new RecordingDistributor();
  const sources = sourcesFrom(
    { ...defaultOptions(), sources: [`file:${tree.directory}`], ...options },
    new FakeClock(),
  );
  const { processor, snapshotter } = buildGalley({
    sources,
    distributor,
    strategyOf: () => immediate(),
    onSnapshotError: (error) => expect.unreachable(String(error)),
  });
  snapshotter.start();
  await processor.start();
  await processor.idle();
  await processor.stop();
  snapshotter.stop();
  expect([...processor.issues.entries()]).toEqual([]);
  return distributor;
}

const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";
const peers = "istio/security/v1beta1/peerauthentications";
const services = "k8s/core/v1/services";

test("Services of a cluster are published as synthetic ServiceEntries and as Services", async () => {
  const distributor = await published({});
  expect(distributor.keys("syntheticServiceEntry", synthetic)).toEqual(["shop/reviews"]);
  expect(distributor.keys("default", services)).toEqual(["shop/reviews"]);
});

test("without service discovery the synthetic snapshot is empty", async () => {
  const distributor = await published({ serviceDiscovery: false });
  expect(distributor.keys("syntheticServiceEntry", synthetic)).toEqual([]);
  expect(distributor.keys("default", services)).toEqual([]);
  expect(distributor.keys("default", peers)).toEqual(["shop/strict"]);
});

test("an excluded kind is empty, and its objects cause no issues", async () => {
  const distributor = await published({ exclude: ["PeerAuthentication"] });
  expect(distributor.keys("default", peers)).toEqual([]);
  expect(distributor.keys("default", services)).toEqual(["shop/reviews"]);
});

test("kinds for analysis and Secrets are read but not published; a Galley alone reads no Secrets", async () => {
  const [source] = sourcesFrom({ ...defaultOptions(), sources: ["file:mesh"] }, new FakeClock());
  const forAnalysis = ["k8s/apps/v1/deployments", "k8s/core/v1/configmaps", "k8s/core/v1/pods"];
  expect(source?.collections).toEqual(expect.arrayContaining(forAnalysis));
  expect(source?.collections).toContain("k8s/core/v1/secrets");
  const alone = sourceMaker(defaultOptions(), new FakeClock(), unobservedGalleys(), { secrets: false })("file:mesh");
  expect(alone.collections).not.toContain("k8s/core/v1/secrets");
  const { snapshots } = await published({});
  const left = snapshots.flatMap(({ collections }) => [...collections.keys()]);
  expect(left.filter((name) => [...forAnalysis, "k8s/core/v1/secrets"].includes(name))).toEqual([]);
});

test("MeshNetworks are published as one object", async () => {
  await tree.write("networks.yaml", "networks: {east: {endpoints: [{fromRegistry: east}]}}\n");
  const distributor = await published({ networks: tree.path("networks.yaml"), sources: [] });
  expect(distributor.keys("default", "istio/mesh/v1alpha1/MeshNetworks")).toEqual(["networks"]);
});

test("an optional source has the name of a required one, and does not delay the start if it is missing", async () => {
  const clock = new FakeClock();
  const sources = [`file:${tree.path("missing")}?optional=5s`, `file:${tree.directory}`];
  const [optional, required] = sourcesFrom({ ...defaultOptions(), sources }, clock);
  expect(optional?.name).toBe(`file:${tree.path("missing")}`);
  await expect(optional?.start(() => undefined)).resolves.toBeUndefined();
  await optional?.stop();
  await expect(required?.reload?.()).resolves.toBeUndefined();
});

test("an optional source needs a waiting time", () => {
  const sources = ["file:./mesh?optional=soon"];
  expect(() => sourcesFrom({ ...defaultOptions(), sources }, new FakeClock())).toThrow("such as 250ms");
});

test("a source that is given twice is one source", () => {
  const options = { ...defaultOptions(), sources: ["file:a", "file:b", "file:a"] };
  expect(sourcesFrom(options, new FakeClock()).map(({ name }) => name)).toEqual(["file:a", "file:b"]);
});
