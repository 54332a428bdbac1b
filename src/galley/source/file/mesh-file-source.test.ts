import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { settle, TempTree } from "../../../testing/temp-tree.ts";
import { createMeshFileSource, createNetworksFileSource } from "./mesh-file-source.ts";
import type { ReloadingSource } from "./reloading-source.ts";

describe("the file of --mesh", () => {
  let tree: TempTree;
  let clock: FakeClock;
  let source: ReloadingSource;
  let heard: SourceRecorder;

  beforeEach(async () => {
    tree = await TempTree.create();
    clock = new FakeClock();
    heard = new SourceRecorder();
    source = createMeshFileSource({ file: tree.path("mesh.yaml"), clock });
  });

  afterEach(async () => {
    await source.stop();
    await tree.close();
  });

  async function seen(): Promise<void> {
    await tree.noticed();
    await settle(source, clock);
  }

  function trustDomain(): unknown {
    const [config] = heard.state.values();
    return config && Reflect.get(Object(config.spec), "trustDomain");
  }

  test("is the MeshConfig, with defaults for missing fields", async () => {
    await tree.write("mesh.yaml", "connectTimeout: 3s\n");
    await source.start(heard.handler);
    expect(heard.events.map(({ type }) => type)).toEqual(["upserted", "fullSync"]);
    expect(trustDomain()).toBe("cluster.local");
  });

  test("is followed through edits, mistakes, deletion and return", async () => {
    await tree.write("mesh.yaml", "trustDomain: one\n");
    await source.start(heard.handler);
    await tree.replace("mesh.yaml", "trustDomain: two\n");
    await seen();
    expect(trustDomain()).toBe("two");
    await tree.write("mesh.yaml", "trustDomain: three\nconnectTimeout: 5\n");
    await seen();
    expect(trustDomain()).toBe("two");
    expect(heard.allIssues).toMatchObject([{ code: "bad-duration", place: { line: 2 } }]);
    await tree.remove("mesh.yaml");
    await seen();
    expect(trustDomain()).toBe("two");
    await tree.write("mesh.yaml", "trustDomain: four\n");
    await seen();
    expect(trustDomain()).toBe("four");
    expect(heard.allIssues).toEqual([]);
  });

  test("is used despite an unknown field, which is reported", async () => {
    await tree.write("mesh.yaml", "trustDomain: one\ntrustDomian: two\n");
    await source.start(heard.handler);
    expect(trustDomain()).toBe("one");
    expect(heard.allIssues).toMatchObject([{ severity: "warning", code: "unknown-field", place: { line: 2 } }]);
  });

  test("with an error at the start leaves the defaults in force", async () => {
    await tree.write("mesh.yaml", "trustDomain: [\n");
    await source.start(heard.handler);
    expect(heard.state.size).toBe(0);
    expect(heard.events.map(({ type }) => type)).toEqual(["issues", "fullSync"]);
  });

  test("is still followed after a stop and a start", async () => {
    await tree.write("mesh.yaml", "trustDomain: one\n");
    await source.start(heard.handler);
    await source.stop();
    await source.start(heard.handler);
    await tree.write("mesh.yaml", "trustDomain: two\n");
    await seen();
    expect(trustDomain()).toBe("two");
  });

  test("ignores an edit that changes nothing", async () => {
    await tree.write("mesh.yaml", "trustDomain: one\n");
    await source.start(heard.handler);
    const before = heard.config("istio/mesh/v1alpha1/MeshConfig", "mesh");
    await tree.write("mesh.yaml", "# the same\ntrustDomain: one\n");
    await seen();
    expect(heard.config("istio/mesh/v1alpha1/MeshConfig", "mesh")?.version).toBe(before?.version);
    expect(heard.events.some(({ type }) => type === "reset" || type === "deleted")).toBe(false);
  });

  test("must exist at the start", async () => {
    await expect(source.start(heard.handler)).rejects.toMatchObject({
      code: "source-unavailable",
      message: expect.stringMatching(/^mesh:.+: there is no such file$/),
    });
  });
});

// How such files are followed is said above: it is the same code.
describe("the file of --networks", () => {
  let tree: TempTree;

  beforeEach(async () => {
    tree = await TempTree.create();
  });

  afterEach(() => tree.close());

  test("is the MeshNetworks, and an edit replaces it", async () => {
    const [clock, heard] = [new FakeClock(), new SourceRecorder()];
    await tree.write("networks.yaml", "networks: {east: {endpoints: [{fromRegistry: east}]}}\n");
    const source = createNetworksFileSource({ file: tree.path("networks.yaml"), clock });
    await source.start(heard.handler);
    const networks = () => heard.config("istio/mesh/v1alpha1/MeshNetworks", "networks")?.spec;
    expect(networks()).toMatchObject({ networks: { east: { endpoints: [{}] } } });
    await tree.write("networks.yaml", "networks: {west: {}}\n");
    await tree.noticed();
    await settle(source, clock);
    expect(networks()).toMatchObject({ networks: { west: {} } });
    expect(networks()).not.toHaveProperty("networks.east");
    await source.stop();
  });
});
