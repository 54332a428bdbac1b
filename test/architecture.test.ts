import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { callsOut, violations } from "./laws.ts";
import { edges } from "./reference/limits.ts";
import { needlessExceptions } from "./supervision-law.ts";
import { waitingLaw } from "./waiting-law.ts";

const src = resolve(import.meta.dirname, "../src");

/** A small world that keeps every law. Each planted violation is added to it. */
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
  "pilot/networking/route/built.ts": `export const build = memoize(([service]) => service); function subnetId(a) { return a; }`,
  "xds/known.ts": `const known = new WeakMap(); const keep = (a, b) => known.set(a, b); class A { static readonly none = 1; }`,
  "admin/pilot/envoy-dump.ts": `dump.add(...types);`,
  "config/yaml/compose.ts": `import { Parser } from "yaml";`,
  "config/yaml.test.ts": `import { parse } from "yaml";`,
  "lib/append.test.ts": `list.push(...items);`,
  "app/log/problem-log.ts": `
    graph.onCommit(this.#supervisor.guard("problem log", look));
    const report = { onError: supervisor.reporterFor("log"), observer: supervisor.guardAll("log", { seen: () => go() }) };
    const calm = { onError: (error) => logger.warn({ reason: errorFrom(error).message }, "a"), onTaken, observer: of.observer };`,
  "app/kube/queue.ts": `import type { SupervisedClock } from "../../lib/supervisor.ts"; clock.after(1, () => go());`,
  "app/build-pilot.ts": `pilot.onCommit((commit) => discovery.configUpdate(commit));`,
  "index.ts": `export { wire } from "./app/wire.ts";`,
};

const halfRoad = "new Snapshotter(); new DiscoveryServer();";

const unguarded = "subscribes a listener that the supervisor does not guard";

const closes = "line 1 memoizes inside of a function: its builder sees more than its key";
const byHand = (name: string) => `${name} is an id by hand: use memoize or canonicalKey`;
const outlives = "is a variable of a module: it outlives the server that sets it";
const spread = "spreads an array into a call: use append, largest or smallest";

/** Each entry breaks exactly one law. */
const planted: readonly (readonly [path: string, problem: string, text: string])[] = [
  ["pilot/xds/a.ts", closes, `export function make(proxy) { return memoize(([push]) => proxy)([push]); }`],
  ["mcp/a.ts", closes, `class Views { readonly #kept = memoize(([view]) => this.#keep(view)); }`],
  ["pilot/model/a.ts", byHand("labelsId"), "export function labelsId(labels) { return labels.join(); }"],
  ["pilot/networking/a.ts", byHand("clientId"), "const clientId = (client) => `${client.type} ${client.name}`;"],
  ["pilot/xds/a.ts", byHand("scopeKey"), "function scopeKey(ref) { return `${ref.namespace}/${ref.sidecar}`; }"],
  ["pilot/networking/a.ts", byHand("matchId"), "export const matchId = oncePer((match) => JSON.stringify(match));"],
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
  ["galley/source/memory.ts", "is pure but uses new Date()", `const at = new Date();`],
  ["explain/a.ts", "is pure but uses console.", `console.log(1);`],
  ["galley/source/etcd/a.ts", "must not speak etcd", `import "#gen/etcd/rpc_pb.js";`],
  ["galley/source/etcd/a.ts", "is pure but imports node:fs", `import { readFile } from "node:fs";`],
  ["etcd/a.ts", "etcd must not import transport/b.ts", `import "../transport/b.ts";`],
  ["etcd/a.ts", "is pure but imports node:http2", `import { constants } from "node:http2";`],
  ["lib/a.ts", "is pure but uses setImmediate", `setImmediate(next);`],
  ["galley/processor/a.ts", "is pure but uses process.", `const level = process.env["LEVEL"];`],
  ["cli/a.ts", "only app may wire the source galley/source/file.ts", `import "../galley/source/file.ts";`],
  ["galley/a.ts", "only app may wire the source galley/source/kube/b.ts", `import "./source/kube/b.ts";`],
  ["pilot/model/a.ts", "pilot must not read YAML", `import { parse } from "../../config/yaml/yaml.ts";`],
  ["config/parse/a.ts", "only config/yaml may import yaml", `import { parse } from "yaml";`],
  ["cli/a.ts", "only config/yaml may import yaml", `const { parse } = await import("yaml");`],
  ["cli/a.ts", "only config/yaml may import yaml/util", `import { toJS } from "yaml/util";`],
  ["app/a.ts", "only app/local-link.ts may write Pilot's inputs", `environment.inputs.set(config);`],
  ["app/a.ts", "only app/jwks/key-sets.ts may write key sets", `environment.fetchedKeySets.set(key, keys);`],
  ["app/a.ts", "only app/ca/trusted-roots.ts may write trusted roots", `environment.trustedRoots.set(key, root);`],
  ["config/a.ts", `line 2 ${spread}`, "function f(all, items) {\nall.push(...items); }"],
  ["lib/a.ts", `line 1 ${spread}`, `const width = Math.max(...rows.map((row) => row.length));`],
  ["app/a.ts", `line 1 ${spread}`, `const set = new Group(...members);`],
  ["app/a.ts", `line 1 ${spread}`, `const f = (...rest: string[]) => rest; list?.push(...rest);`],
  ["app/a.ts", "calls a peer without limits in test/reference/limits.ts", "const page = await fetch(url);"],
  ["kube/a.ts", "calls a peer without limits in test/reference/limits.ts", `import { request } from "node:https";`],
  ["app/a.ts", "calls a peer without limits in test/reference/limits.ts", `import { connect } from "node:http2";`],
  ["app/a.ts", "calls a peer without limits in test/reference/limits.ts", `await import("@grpc/grpc-js");`],
  ["cli/a.ts", "reads without a limit: .text()", "const page = await response.text();"],
  ["cli/a.ts", "reads without a limit: .json()", "const page = await response.json();"],
  ["kube/a.ts", 'reads without a limit: "node:stream/consumers"', `import { text } from "node:stream/consumers";`],
  ["app/a.ts", `line 1 ${unguarded}`, `graph.onCommit((commit) => count(commit));`],
  ["app/a.ts", `line 1 ${unguarded}`, `graph.onCommit(guarded(look));`],
  ["app/a.ts", `line 1 ${unguarded}`, `graph.onCommit(look);`],
  ["app/a.ts", `line 1 ${unguarded}`, `graph.onCommit(this.#look);`],
  ["app/a.ts", `line 2 ${unguarded}`, `const a = 1;\nserver.on("error", function () { counter.inc(); });`],
  ["admin/a.ts", `line 1 ${unguarded}`, `signal.addEventListener("abort", () => { throw new Error("a"); });`],
  [
    "app/a.ts",
    "line 1 gives a callback onTaken that the supervisor does not guard",
    `f({ onTaken: () => counter.inc() });`,
  ],
  [
    "app/a.ts",
    "line 1 gives a callback onTaken that the supervisor does not guard",
    `f({ onTaken() { counter.inc(); } });`,
  ],
  [
    "app/a.ts",
    "line 1 gives a callback onEnd that the supervisor does not guard",
    `const onEnd = () => counter.inc();`,
  ],
  [
    "app/a.ts",
    "line 1 gives a callback observer that the supervisor does not guard",
    `f({ observer: observerOf(metrics) });`,
  ],
  [
    "admin/a.ts",
    "line 2 sets a timer on a Clock: take a SupervisedClock",
    `import type { Clock } from "../lib/time/clock.ts";\nthis.#clock.after(1, () => go());`,
  ],
  ["app/a.ts", "line 1 sets a timer on no clock: use one of the supervisor", `setTimeout(() => go(), 1);`],
  ["pilot/a.ts", `line 2 ${outlives}`, "export const a = 1;\nexport let current = 0;"],
  ["lib/a.ts", "line 1 is a memory of a module: use memoize or oncePer", "const known = new Map<string, number>();"],
  ["xds/a.ts", "line 1 is a memory of a module: use memoize or oncePer", "const known = new BoundedMemo<number>(9);"],
  [
    "lib/a.ts",
    "line 2 changes state, a constant of the module",
    "const state = { n: 0 };\nconst next = () => state.n++;",
  ],
  ["pilot/a.ts", "line 2 changes all, a constant of the module", "const all = [];\nfunction f(a) { all.push(a); }"],
  [
    "xds/a.ts",
    "line 2 changes last, a constant of the module",
    "const last = {};\nconst f = (a) => { last.at.a = a; };",
  ],
  ["mcp/a.ts", "line 1 is a static field that is not readonly", "class A { static count = 0; }"],
  ["config/a.ts", "has 401 lines, the limit is 400", "export {};\n".repeat(401)],
];

function sources() {
  const paths = globSync("**/*.ts", { cwd: src }).toSorted();
  return paths.map((path) => ({ path, text: readFileSync(join(src, path), "utf8") }));
}

function filesOf(world: Readonly<Record<string, string>>) {
  return Object.entries(world).map(([path, text]) => ({ path, text }));
}

describe("the laws of the architecture", () => {
  // It reads and parses all of src, which is slow on a busy machine.
  test("hold for every file of src", () => {
    expect(violations(sources())).toEqual([]);
  });

  test("list no unused exception from supervision", () => {
    expect(needlessExceptions(sources())).toEqual([]);
  });

  test("list exactly the files that call other servers", () => {
    const paths = globSync("**/*.ts", { cwd: src }).filter((path) => !/^testing\/|\.test\.ts$/u.test(path));
    const calling = paths.filter((path) => callsOut({ path, text: readFileSync(join(src, path), "utf8") }));
    expect(calling.toSorted()).toEqual(edges.flatMap(({ callers }) => callers).toSorted());
  });

  test("hold for a small valid project", () => {
    expect(violations(filesOf(lawful))).toEqual([]);
  });

  test.each(planted)("are broken when %s %s", (path, problem, text) => {
    expect(violations(filesOf({ ...lawful, [path]: text }))).toEqual([`${path}: ${problem}`]);
  });

  test.each([
    ["is built twice", "in app/wire.ts, app/a.ts", { ...lawful, "app/a.ts": "new Processor();" }],
    ["is built elsewhere", "in cli/a.ts", { ...lawful, "app/wire.ts": halfRoad, "cli/a.ts": "new Processor();" }],
    ["is not built", "nowhere", { ...lawful, "app/wire.ts": halfRoad }],
  ])("are broken when a part of the pipeline %s", (_, where, world) => {
    expect(violations(filesOf(world))).toEqual([`new Processor(…) belongs in app, once; found ${where}`]);
  });
});

/** The violations of the law by a test with this body. */
function inTest(body: string): readonly string[] {
  return [...waitingLaw({ path: "a.test.ts", text: `test("a", async () => {\n${body}\n});` })];
}

describe("the law that tests wait for results of processes", () => {
  const root = resolve(src, "..");

  test("holds for every test of processes", () => {
    const paths = globSync("{test/e2e,scripts}/**/*.test.ts", { cwd: root });
    const broken = paths.flatMap((path) =>
      Array.from(
        waitingLaw({ path, text: readFileSync(join(root, path), "utf8") }),
        (problem) => `${path}: ${problem}`,
      ),
    );
    expect(paths.length).toBeGreaterThan(50);
    expect(broken).toEqual([]);
  });

  test.each([
    ["expect(server.log()).toContain('ready');", "line 2 reads a log without waiting: use logged"],
    ["const lines = server.log().split('-');", "line 2 reads a log without waiting: use logged"],
    ["await ask();\nexpect(server.log()).toContain('asked');", "line 3 reads a log without waiting: use logged"],
    [
      "mesh.write('a', '');\nexpect(await get(1, '/a')).toBe(1);",
      "line 3 reads a page right after an edit: use eventually",
    ],
    [
      "mesh.remove('a');\nexpect((await get(1, '/a')).body).toBe(1);",
      "line 3 reads a page right after an edit: use eventually",
    ],
    [
      "mesh.write('a', '');\nexpect(await metric(1, 'a')).toBe(1);",
      "line 3 reads a page right after an edit: use eventually",
    ],
  ])("is broken by %j", (body, problem) => {
    expect(inTest(body)).toEqual([problem]);
  });

  test.each([
    "await eventually('ready', () => server.log().includes('ready'), patience);",
    "await envoy.waitFor(() => envoy.log().includes('ready'));",
    "expect(server.log()).not.toContain('rejected');",
    "await server.exited;\nexpect(server.log()).toContain('ended');",
    "await server.stop();\nexpect(server.log()).toContain('ended');",
    "throw new Error(`it said ${server.log()}`);",
    "expect(await get(1, '/a')).toBe(1);",
    "mesh.write('a', '');\nawait untilAnsweredBy('v2', 1);\nexpect(await get(1, '/a')).toBe(1);",
    "mesh.write('a', '');\nawait eventually('a', async () => (await get(1, '/a')).body === '', patience);",
  ])("is kept by %j", (body) => {
    expect(inTest(body)).toEqual([]);
  });
});

/** The files in which the linter finds an import cycle, with the configuration of the repository. */
function filesInCycles(files: Readonly<Record<string, string>>): readonly string[] {
  const root = resolve(src, "..");
  const directory = mkdtempSync(join(tmpdir(), "binnacle-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const args = ["--config", join(root, ".oxlintrc.json"), "--format", "json", directory];
    const { stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), args, { encoding: "utf8" });
    const found = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] };
    const cycles = found.diagnostics.filter(({ code }) => code.endsWith("(no-cycle)"));
    return Object.keys(files).filter((name) => cycles.some(({ filename }) => filename.endsWith(name)));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
}

describe("the linter", () => {
  const half = 'import type { Whole } from "./whole.ts";\n\nexport type Half = Whole;\n';

  test("finds import cycles, even of types alone", () => {
    const whole = 'import type { Half } from "./half.ts";\n\nexport interface Whole {\n  readonly half: Half;\n}\n';
    expect(filesInCycles({ "half.ts": half, "whole.ts": whole })).toEqual(["half.ts", "whole.ts"]);
  });

  test("accepts imports without a cycle", () => {
    expect(filesInCycles({ "half.ts": half, "whole.ts": "export type Whole = string;\n" })).toEqual([]);
  });
});
