import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TempTree } from "../testing/temp-tree.ts";
import { loadKubeconfig } from "./kubeconfig.ts";

let tree: TempTree;

beforeEach(async () => {
  tree = await TempTree.create();
});

afterEach(() => tree.close());

/** A kubeconfig with a cluster, a user and a context of each name; the first context is the current one. */
async function write(file: string, ...names: readonly string[]): Promise<string> {
  const config = {
    clusters: names.map((name) => ({ name, cluster: { server: `https://${name}.example` } })),
    users: names.map((name) => ({ name, user: {} })),
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name, namespace: `${name}-space` } })),
    "current-context": names[0],
  };
  await tree.write(file, JSON.stringify(config));
  return tree.path(file);
}

const serverOf = (kubeconfig: string, context?: string) =>
  loadKubeconfig({ kubeconfig, context }).getCurrentCluster()?.server;

describe("a kubeconfig", () => {
  test("has a current context, and others that can be selected by name", async () => {
    const file = await write("config", "east", "west");
    expect([serverOf(file), serverOf(file, "west")]).toEqual(["https://east.example", "https://west.example"]);
  });

  test("may be several files; the first one that sets the current context wins", async () => {
    const files = `${await write("a", "east")}:${await write("b", "west")}`;
    expect([serverOf(files), serverOf(files, "west")]).toEqual(["https://east.example", "https://west.example"]);
  });

  test("without the requested context lists the existing contexts", async () => {
    const kubeconfig = await write("config", "east", "west");
    expect(() => loadKubeconfig({ kubeconfig, context: "north" })).toThrow(
      'there is no context "north"; there is east, west',
    );
  });

  test("that cannot be read reports the reason", async () => {
    await tree.write("config", "clusters: [{name: a}]");
    const bad = { kubeconfig: tree.path("config"), context: undefined };
    expect(() => loadKubeconfig(bad)).toThrow("clusters[0].cluster is missing");
    const missing = { kubeconfig: tree.path("missing"), context: undefined };
    expect(() => loadKubeconfig(missing)).toThrow("cannot use the kubeconfig");
  });
});
