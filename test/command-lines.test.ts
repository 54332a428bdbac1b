import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unobservedGalleys } from "../src/app/mcp/remote-galleys.ts";
import { readArguments } from "../src/app/options/flags.ts";
import { segmentName } from "../src/app/history/segment-store.ts";
import { readOptions } from "../src/app/options/read-options.ts";
import { sourceMaker } from "../src/app/sources/sources.ts";
import { commands } from "../src/cli/commands.ts";
import { assert } from "../src/lib/assert.ts";
import { configsIn } from "../src/testing/config/configs-in.ts";
import { FakeClock } from "../src/testing/fake-clock.ts";
import { segmentRecords } from "../src/testing/history/written-segment.ts";
import { recordedShop } from "../src/testing/recording/recorded-shop.ts";
import { runCommand } from "../src/testing/recording/run-command.ts";
import { TempTree } from "../src/testing/temp-tree.ts";
import { blocksOf, skipReason } from "./e2e/support/documents/recipe.ts";

const root = resolve(import.meta.dirname, "..");

/** The arguments of `binnacle` on a command line, without shell syntax. */
function argumentsOf(line: string): readonly string[] {
  const [command = ""] = line.split(/\s(?:[<>|&#])(?:\s|$)/u);
  return Array.from(command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/gu), ([, single, double, plain = ""]) => {
    return single ?? double ?? plain;
  });
}

/** Lines of documents that `test/e2e/recipes.test.ts` does not run. */
function untypedLines(): readonly string[] {
  return globSync("docs/recipes/*.md", { cwd: root }).flatMap((path) => {
    const blocks = [...blocksOf(readFileSync(join(root, path), "utf8"))];
    const skipped = blocks.filter((block) => block.language === "sh" && skipReason(block) !== undefined);
    const lines = skipped.flatMap(({ text }) => text.replaceAll("\\\n", " ").split("\n"));
    return lines.filter((line) => line.startsWith("binnacle ")).map((line) => line.slice("binnacle ".length));
  });
}

const loaded = await Promise.all(commands.map(async ({ name, load }) => ({ name, ...(await load()).command })));
const examples = loaded.flatMap((command) => command.examples);
const all = [...new Set([...examples, ...untypedLines()])].map((line) => [line, argumentsOf(line)] as const);

const servers = new Set(["serve", "galley", "pilot"]);
/** Commands that need a server, a cluster or an etcd, which may be any. */
const asking = new Set([
  "apply",
  "ca",
  "delete",
  "describe",
  "fleet",
  "get",
  "proxy-config",
  "proxy-status",
  "quarantine",
  "rollout",
  "sources",
  "top",
  "wait",
]);

function asksNobody([name = "", ...args]: readonly string[]): boolean {
  return (
    !servers.has(name) && !asking.has(name) && !args.some((each) => /^(?:kube:|etcds?:|--server$|--envoy$)/u.test(each))
  );
}

describe("every flag and every source of an example exists", () => {
  test.each(all)("binnacle %s", (_line, [name = "", ...args]) => {
    const flags = loaded.find((command) => command.name === name)?.flags ?? [];
    const given = readArguments(args, flags);
    if (!servers.has(name)) return;
    const options = readOptions({ arguments: given, env: {}, readFile: (path) => readFileSync(path, "utf8") });
    expect(options.sources.map(sourceMaker(options, new FakeClock(), unobservedGalleys()))).toHaveLength(
      options.sources.length,
    );
  });
});

/** A mesh that fits the examples of `--help`. */
const gateway = `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: gw, namespace: istio-system}
spec: {selector: {app: gw}, servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: [bookinfo.example]}]}
`;
const routes = `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: reviews, namespace: default}
spec:
  hosts: [bookinfo.example, reviews.default.svc.cluster.local]
  gateways: [istio-system/gw, mesh]
  http: [{route: [{destination: {host: reviews.default.svc.cluster.local}}]}]
`;
const services = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: reviews, namespace: default}
spec:
  hosts: [reviews.default.svc.cluster.local]
  ports: [{number: 9080, name: http, protocol: HTTP}]
  resolution: STATIC
  endpoints: [{address: 127.0.0.1}]
`;

const group = `
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: {name: vm, namespace: shop}
spec: {template: {serviceAccount: vm}}
`;
/** The claims are those of the account `vm`. */
const token = ["e30", Buffer.from('{"sub": "system:serviceaccount:shop:vm"}').toString("base64url"), "c2ln"].join(".");

describe("an example without a server works", () => {
  const before = process.cwd();
  let tree: TempTree;

  beforeAll(async () => {
    tree = await TempTree.create();
    const mesh = { "mesh/gateway.yaml": gateway, "mesh/routes.yaml": routes, "mesh/services.yaml": services };
    const workload = { "deployment.yaml": services, "values.yaml": "global: {hub: istio}\n" };
    const machine = { "mesh/group.yaml": group, "vm.jwt": token, "root.pem": "PEM" };
    const [reviews, other] = ["reviews", "other"].flatMap((name) =>
      configsIn(routes.replace("name: reviews, namespace: default", `name: ${name}, namespace: shop`)),
    );
    assert(reviews !== undefined && other !== undefined, "the text has an object");
    const log = {
      [`history/${segmentName({ number: 1, at: 1_000 }, "00000000")}`]: segmentRecords([reviews], [other]).join(""),
    };
    const objects = { ...mesh, ...workload, ...machine, ...log, "gateway.yaml": gateway, "routes.yaml": routes };
    const recording = { "server.recording": await recordedShop() };
    const changed = { "new-mesh/gateway.yaml": gateway, "new-mesh/routes.yaml": routes };
    const files = { ...objects, ...changed, ...recording, "mesh.yaml": "enableAutoMtls: false\n" };
    for (const [path, text] of Object.entries(files)) await tree.write(path, text);
    process.chdir(tree.directory);
  });

  afterAll(async () => {
    process.chdir(before);
    await tree.close();
  });

  test.each(all.filter(([, args]) => asksNobody(args)))("binnacle %s", async (_line, args) => {
    const { code, stderr } = await runCommand(args, { input: routes });
    // No server keeps the file that `probe` looks at, and `diff` finds differences.
    const isProblem = args[0] === "probe" || args[0] === "diff";
    expect([code, stderr]).toEqual([isProblem ? 1 : 0, expect.any(String)]);
  });
});
