import { describe, expect, test } from "vitest";
import { effectsOf } from "../../src/config/effect/effects.ts";
import { meshConfig } from "../../src/config/kinds/mesh-config.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { bootstrapPairs } from "./effects/start-settings.ts";

const object = (kind: string, name: string, namespace: string, spec: object, created = "2024-01-01T00:00:00Z") =>
  JSON.stringify({
    apiVersion: kind === "MeshConfig" ? "mesh.istio.io/v1alpha1" : "networking.istio.io/v1beta1",
    kind,
    metadata: { name, ...(namespace !== "" && { namespace, creationTimestamp: created }) },
    spec,
  });

/** The bootstrap of a sidecar of `shop` with the label `app: web`, in a mesh of these objects, and the notes about it. */
async function bootstrapIn(objects: readonly string[], ...args: readonly string[]) {
  const node = ["--node", "sidecar~web-0.shop", ...args];
  const { code, stdout, stderr } = await runCommand(["bootstrap", "envoy", "-", ...node], {
    input: objects.join("\n---\n"),
  });
  expect(code).toBe(0);
  const { node: described, ...bootstrap } = JSON.parse(stdout) as { node: { metadata: object; cluster: string } };
  const { PROXY_CONFIG: config, ...metadata } = described.metadata as Record<string, unknown>;
  return { config, seen: { ...bootstrap, cluster: described.cluster, metadata, notes: stderr } };
}

const meshOf = (defaultConfig: object) => [object("MeshConfig", "mesh", "", { defaultConfig })];

const made = new Map<string, ReturnType<typeof bootstrapIn>>();

/** Equal meshes have one bootstrap, made once. */
function bootstrapOnce(defaultConfig: object): ReturnType<typeof bootstrapIn> {
  const key = JSON.stringify(defaultConfig);
  const known = made.get(key) ?? bootstrapIn(meshOf(defaultConfig));
  made.set(key, known);
  return known;
}

describe("every field that is used for bootstraps", () => {
  test("is tried", () => {
    const tried = Object.keys(bootstrapPairs).map((field) => `defaultConfig.${field}`);
    expect(tried.toSorted()).toEqual([...(effectsOf(meshConfig)?.bootstrapFields ?? [])].toSorted());
  });

  test.each(Object.entries(bootstrapPairs))(
    "%s changes the bootstrap, or how Envoy is started",
    async (_, [before, after]) => {
      const a = await bootstrapOnce(before);
      const b = await bootstrapIn(meshOf(after));
      expect(a.seen).not.toEqual(b.seen);
    },
  );
});

describe("a ProxyConfig", () => {
  const wide = object("ProxyConfig", "wide", "istio-system", {
    concurrency: 1,
    environmentVariables: { A: "1", B: "1" },
  });
  const own = object("ProxyConfig", "own", "shop", { concurrency: 2, environmentVariables: { B: "2", C: "2" } });
  const older = object("ProxyConfig", "older", "shop", { concurrency: 5 }, "2023-01-01T00:00:00Z");
  const web = (app: string) =>
    object("ProxyConfig", "web", "shop", { selector: { matchLabels: { app } }, concurrency: 3 });
  const base = meshOf({ concurrency: 7, proxyMetadata: { A: "0", D: "0" } });

  test.each([
    ["the mesh alone", base, { concurrency: 7, proxyMetadata: { A: "0", D: "0" } }],
    ["the root namespace", [...base, wide], { concurrency: 1, proxyMetadata: { A: "1", B: "1", D: "0" } }],
    ["the namespace", [...base, wide, own], { concurrency: 2, proxyMetadata: { A: "1", B: "2", C: "2", D: "0" } }],
    ["the oldest of a namespace", [...base, own, older], { concurrency: 5 }],
    ["the workload", [...base, wide, own, web("web")], { concurrency: 3 }],
    ["another workload", [...base, wide, own, web("other")], { concurrency: 2 }],
  ])("of %s decides", async (_, objects, expected) => {
    const { config } = await bootstrapIn(objects);
    expect(config).toMatchObject(expected);
  });

  test("of another namespace does not count", async () => {
    expect((await bootstrapIn([object("ProxyConfig", "x", "bank", { concurrency: 9 })])).config).toEqual({});
  });

  test("is overridden by flags", async () => {
    const objects = meshOf({ discoveryAddress: "istiod.ops.svc:15010", proxyAdminPort: 15_099, meshId: "x" });
    const flags = ["--xds", "127.0.0.1:7", "--admin", "127.0.0.1:8", "--meta", "MESH_ID=y"];
    const { seen } = await bootstrapIn(objects, ...flags);
    expect(JSON.stringify(seen)).not.toMatch(/istiod\.ops|15099|"MESH_ID":"x"/u);
    expect(seen.metadata).toMatchObject({ MESH_ID: "y" });
  });
});

const filter = (namespace: string, operation: string) =>
  JSON.stringify({
    apiVersion: "networking.istio.io/v1alpha3",
    kind: "EnvoyFilter",
    metadata: { name: "stats", namespace },
    spec: {
      configPatches: [{ applyTo: "BOOTSTRAP", patch: { operation, value: { stats_flush_interval: "3s" } } }],
    },
  });

describe("a patch of BOOTSTRAP", () => {
  test("is merged into the bootstraps of its namespace, and keeps the rest", async () => {
    const [before, after] = [await bootstrapIn(meshOf({})), await bootstrapIn([filter("shop", "MERGE")])];
    expect(after.seen).toMatchObject({ stats_flush_interval: "3s", cluster: before.seen.cluster });
    expect(after.seen).toMatchObject({ dynamic_resources: { ads_config: { api_type: "GRPC" } } });
    expect((await bootstrapIn([filter("bank", "MERGE")])).seen).toEqual(before.seen);
  });

  test("with another operation changes nothing", async () => {
    expect((await bootstrapIn([filter("shop", "REPLACE")])).seen).not.toHaveProperty("stats_flush_interval");
  });
});
