import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { settle, TempTree } from "../../../testing/temp-tree.ts";
import { networksFileSource } from "./networks-file.ts";

// How such files are followed is in mesh-file.test.ts: it is the same code.
describe("the file of --networks", () => {
  let tree: TempTree;

  beforeEach(async () => {
    tree = await TempTree.create();
  });

  afterEach(() => tree.close());

  test("is the MeshNetworks, and an edit replaces it", async () => {
    const [clock, heard] = [new FakeClock(), new SourceRecorder()];
    await tree.write("networks.yaml", "networks: {east: {endpoints: [{fromRegistry: east}]}}\n");
    const source = networksFileSource({ file: tree.path("networks.yaml"), clock });
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
