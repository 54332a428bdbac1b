import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { callsOut, violations } from "./laws.ts";
import { edges } from "./reference/limits.ts";

const src = resolve(import.meta.dirname, "../src");

/** A small world that keeps every law: each planted violation is added to it. */
const lawful: Readonly<Record<string, string>> = {
  "app/wire.ts": `
    import { FileSource } from "../galley/source/file.ts";
    const processor = new Processor(); new Snapshotter(processor); new DiscoveryServer();`,
  "app/local-link.ts": `import type { Environment } from "../pilot/model/environment.ts"; environment.inputs.set(1);`,
  "config/kinds/gateway.ts": `import { GatewaySchema } from "#gen/istio/networking/v1/gateway_pb.js"; const any = "*/*";`,
  "galley/source/file/file-watch.ts": `import { watch } from "node:fs"; setTimeout(poll, 1);`,
  "lib/writer.test.ts": `import "#gen/istio/v1/a_pb.js"; import "#gen/envoy/v3/b_pb.js";`,
  "mcp/dialect.ts": `import "#gen/envoy/service/discovery/v3/ads_pb.js"; import "#gen/istio/mcp/v1alpha1/mcp_pb.js";`,
  "pilot/networking/cluster/cluster.ts": `import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";`,
  "pilot/networking/filters/alpn.ts": `import "#gen/envoy/v3/b_pb.js"; import "#gen/istio/envoy/config/a_pb.js";`,
  "pilot/model/service.ts": `/* console.log and process.env */ const text = "the process. Date.now"; // Math.random`,
  "pilot/model/service.test.ts": `import { FakeClock } from "../../testing/fake-clock.ts"; const now = Date.now();`,
  "testing/mesh.ts": `import { wire } from "../app/wire.ts"; import { FileSource } from "../galley/source/file.ts";`,
  "lib/append.ts": `const all = [...one, ...two]; const f = (...rest: string[]) => g(1, ...rest); h({ ...all });`,
  "app/store/etcd-transactions.ts": `transaction.then(...writes);`,
  "lib/append.test.ts": `list.push(...items);`,
  "index.ts": `export { wire } from "./app/wire.ts";`,
};

const halfRoad = "new Snapshotter(); new DiscoveryServer();";

const spread = "spreads an array into a call: use append, largest or smallest";

/** Each entry breaks exactly one law. */
const planted: readonly (readonly [path: string, problem: string, text: string])[] = [
  ["galley/a.ts", "galley must not import pilot/b.ts", `import { b } from "../pilot/b.ts";`],
  ["pilot/a.ts", "pilot must not import galley/b.ts", `import type { B } from "../galley/b.ts";`],
  ["lib/a.ts", "lib must not import collection/b.ts", `export * from "../collection/b.ts";`],
  ["transport/a.ts", "transport must not import app/wire.ts", `await import("../app/wire.ts");`],
  ["app/a.ts", "app must not import cli/main.ts", `import { run } from "../cli/main.ts";`],
  ["config/a.ts", "config must not import testing/b.ts", `import { b } from "../testing/b.ts";`],
  ["xds.ts", "the root must not import testing/b.ts", `import { b } from "./testing/b.ts";`],
  ["util/a.ts", "the folder util has no place in the layers", ``],
  ["pilot/registry/a.ts", "must not speak kubernetes", `import "#gen/k8s/api/core/v1/a_pb.js";`],
  ["testing/a.ts", "speaks both Istio and Envoy", `import "#gen/istio/v1/a_pb.js"; import "#gen/envoy/v3/b_pb.js";`],
  ["pilot/model/a.ts", "must not speak envoy", `import type { C } from "#gen/envoy/v3/c_pb.js";`],
  ["config/a.ts", "must not speak envoy", `import "#gen/envoy/v3/c_pb.js";`],
  ["pilot/networking/a.ts", "must not speak istio", `import "#gen/istio/networking/v1/a_pb.js";`],
  ["pilot/registry/a.ts", "must not speak mcp", `import "#gen/istio/mcp/v1alpha1/mcp_pb.js";`],
  ["mcp/a.ts", "is pure but imports node:http2", `import { constants } from "node:http2";`],
  ["collection/a.ts", "is pure but imports node:fs/promises", `import { readFile } from "node:fs/promises";`],
  ["pilot/a.ts", "is pure but uses Date.now", "const id = `${Date.now()}`;"],
  ["galley/source/memory.ts", "is pure but uses new Date(", `const at = new Date();`],
  ["explain/a.ts", "is pure but uses console.", `console.log(1);`],
  ["lib/a.ts", "is pure but uses setImmediate", `setImmediate(next);`],
  ["galley/processor/a.ts", "is pure but uses process.", `const level = process.env["LEVEL"];`],
  ["cli/a.ts", "only app may wire the source galley/source/file.ts", `import "../galley/source/file.ts";`],
  ["galley/a.ts", "only app may wire the source galley/source/kube/b.ts", `import "./source/kube/b.ts";`],
  ["pilot/model/a.ts", "pilot must not read YAML", `import { parse } from "yaml";`],
  ["app/a.ts", "only app/local-link.ts may write Pilot's inputs", `environment.inputs.set(config);`],
  ["config/a.ts", `line 2 ${spread}`, "const all = [];\nall.push(...items);"],
  ["lib/a.ts", `line 1 ${spread}`, `const width = Math.max(...rows.map((row) => row.length));`],
  ["app/a.ts", `line 1 ${spread}`, `const set = new Group(...members);`],
  ["app/a.ts", `line 1 ${spread}`, `const f = (...rest: string[]) => rest; list?.push(...rest);`],
  ["app/a.ts", "calls somebody without limits in test/reference/limits.ts", "const page = await fetch(url);"],
  ["kube/a.ts", "calls somebody without limits in test/reference/limits.ts", `import { request } from "node:https";`],
  ["app/a.ts", "calls somebody without limits in test/reference/limits.ts", `import { connect } from "node:http2";`],
  ["app/a.ts", "calls somebody without limits in test/reference/limits.ts", `await import("etcd3");`],
  ["cli/a.ts", "reads without a limit: .text()", "const page = await response.text();"],
  ["cli/a.ts", "reads without a limit: .json()", "const page = await response.json();"],
  ["kube/a.ts", 'reads without a limit: "node:stream/consumers"', `import { text } from "node:stream/consumers";`],
  ["config/a.ts", "has 401 lines, the limit is 400", "export {};\n".repeat(401)],
];

function filesOf(world: Readonly<Record<string, string>>) {
  return Object.entries(world).map(([path, text]) => ({ path, text }));
}

describe("the laws of the architecture", () => {
  test("hold for every file of src", () => {
    const paths = globSync("**/*.ts", { cwd: src }).toSorted();
    expect(violations(paths.map((path) => ({ path, text: readFileSync(join(src, path), "utf8") })))).toEqual([]);
  });

  test("know all who call somebody else, and nobody besides", () => {
    const paths = globSync("**/*.ts", { cwd: src }).filter((path) => !/^testing\/|\.test\.ts$/u.test(path));
    const calling = paths.filter((path) => callsOut({ path, text: readFileSync(join(src, path), "utf8") }));
    expect(calling.toSorted()).toEqual(edges.flatMap(({ callers }) => callers).toSorted());
  });

  test("hold for a small lawful world", () => {
    expect(violations(filesOf(lawful))).toEqual([]);
  });

  test.each(planted)("are broken when %s %s", (path, problem, text) => {
    expect(violations(filesOf({ ...lawful, [path]: text }))).toEqual([`${path}: ${problem}`]);
  });

  test.each([
    ["is built twice", "in app/wire.ts, app/a.ts", { ...lawful, "app/a.ts": "new Processor();" }],
    ["is built elsewhere", "in cli/a.ts", { ...lawful, "app/wire.ts": halfRoad, "cli/a.ts": "new Processor();" }],
    ["is not built", "nowhere", { ...lawful, "app/wire.ts": halfRoad }],
  ])("are broken when a part of the road %s", (_, where, world) => {
    expect(violations(filesOf(world))).toEqual([`new Processor(…) belongs in app, once; found ${where}`]);
  });
});
