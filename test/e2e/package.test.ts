import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { idOf, refusedPackages } from "../../scripts/build/bundled-packages.ts";
import { buildPackage } from "../../scripts/build/package.ts";
import { fleetMembers } from "../../src/cli/nodes/fleet-members.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import type { FleetShares } from "../../src/fleet/plan.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { ended } from "./support/binnacle/command.ts";
import { whenReady } from "./support/binnacle/server.ts";
import { root } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { get } from "./support/http.ts";
import { onLoad } from "./support/on-load.ts";
import { shared } from "./support/shared.ts";

/** Files of the package that a server loads: the command, the chunks of a server, and small ones between them. */
const mostFiles = 15;
const anyPort = "127.0.0.1:0";
const ports = ["--xds", anyPort, "--http", anyPort, "--metrics", anyPort, "--ctrlz", "off"];
const bookinfo = join(root, "examples/bookinfo");

/** The package, packed, and installed into an empty folder by an npm with an empty cache and without a network. */
const installed = shared(async (resources) => {
  const tree = await TempTree.create();
  resources.defer(() => tree.close());
  const folder = join(tree.directory, "package");
  const packages = await buildPackage(folder);
  const home = join(tree.directory, "home");
  mkdirSync(home);
  writeFileSync(join(home, "package.json"), "{}");
  const settings = [
    "--offline",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--cache",
    join(tree.directory, "cache"),
  ];
  const npm = (...args: readonly string[]) =>
    execFileSync("npm", [...args, ...settings], { cwd: home, encoding: "utf8" });
  const [packed] = JSON.parse(npm("pack", folder, "--json")) as readonly { readonly filename: string }[];
  npm("install", `./${packed?.filename}`);
  return { home, folder: join(home, "node_modules/binnacle"), packages };
});

function installedBinnacle(args: readonly string[], nodeFlags: readonly string[] = []): Child {
  const child = new Child(process.execPath, [...nodeFlags, join(installed().folder, "binnacle.js"), ...args]);
  onTestFinished(() => child.stop());
  return child;
}

test("an installation of the package brings no other package, and runs no script", () => {
  const { home, folder } = installed();
  expect(readdirSync(join(home, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["binnacle"]);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
  expect(Object.keys(manifest).filter((name) => /dependencies|scripts/iu.test(name))).toEqual([]);
});

test("the installed command serves proxies and the desk, and loads a few files", async () => {
  const tell = `if (url.startsWith("file:")) process.getBuiltinModule("node:fs").writeSync(2, "loaded " + url + "\\n");`;
  const child = installedBinnacle(["serve", bookinfo, ...ports], ["--import", onLoad(tell)]);
  const server = await whenReady(child);
  using proxies = startFleet(server.xdsPort);
  await eventually("the proxies are in sync", () => proxies.fleet.report.inSync === 3, { seconds: 60 });
  const { body } = await get(server.httpPort, "/", { headers: { accept: "text/html" } });
  const script = /src="(?<path>\/assets\/[^"]+\.js)"/u.exec(body)?.groups?.["path"] ?? "no script";
  expect((await get(server.httpPort, script)).status).toBe(200);
  const loaded = server.linesLike(/^loaded /u).map((line) => basename(line));
  expect(loaded).toContain("binnacle.js");
  expect(loaded.length).toBeLessThanOrEqual(mostFiles);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("the installed command loads the Kubernetes client on demand", async () => {
  const kubeconfig = join(installed().home, "kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify({ clusters: [], contexts: [], users: [], "current-context": "elsewhere" }));
  const main = join(installed().home, "node_modules/.bin/binnacle");
  const { code, stderr } = await ended(main, ["analyze", "kube:", "--kubeconfig", kubeconfig]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('there is no context "elsewhere"') });
});

test("a stack of the installed package names our files", async () => {
  const program = `
    process.setSourceMapsEnabled(true);
    const { parseConfigs } = await import("binnacle");
    try { parseConfigs(undefined); } catch (error) { console.log(error.stack); }`;
  const { stdout } = await ended(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: installed().home,
  });
  expect(stdout).toContain(join(installed().folder, "src/config/parse/parse.ts"));
});

test("a program compiles against the types of the package, which need no other package", async () => {
  const { home } = installed();
  const program = `
    import { createControlPlane, type ControlPlane, kindOf } from "binnacle";
    import { createXdsServer, type XdsLibraryServer } from "binnacle/xds";
    export const plane: (options: Parameters<typeof createControlPlane>[0]) => Promise<ControlPlane> | ControlPlane = createControlPlane;
    export const schema: string | undefined = kindOf("networking.istio.io/v1", "Gateway")?.schema.typeName;
    export const server: (options: Parameters<typeof createXdsServer>[0]) => XdsLibraryServer = createXdsServer;
    // @ts-expect-error -- types that are "any" would allow it
    export const wrong: number = createXdsServer;`;
  writeFileSync(join(home, "user.ts"), program);
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "esnext", "--types", "node"];
  const types = ["--typeRoots", join(root, "node_modules/@types")];
  const { stdout } = await ended(join(root, "node_modules/.bin/tsc"), [...flags, ...types, "user.ts"], { cwd: home });
  expect(stdout).toBe("");
});

test("the chunks of the package are ASCII, because V8 keeps other texts in twice the memory", () => {
  const chunks = join(installed().folder, "chunks");
  const others = readdirSync(chunks).filter((name) => /[^\0-\u007F]/u.test(readFileSync(join(chunks, name), "utf8")));
  expect(others).toEqual([]);
});

test("the package lists every bundled package with its licence, and each licence is allowed", () => {
  const { folder, packages } = installed();
  const sbom = JSON.parse(readFileSync(join(folder, "sbom.cdx.json"), "utf8")) as {
    readonly components: readonly { readonly "bom-ref": string; readonly licenses?: readonly unknown[] }[];
  };
  expect(sbom.components.map((each) => each["bom-ref"]).toSorted()).toEqual(packages.map(idOf).toSorted());
  expect(sbom.components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
  expect(refusedPackages(packages)).toEqual([]);
  const licences = readFileSync(join(folder, "LICENSES.txt"), "utf8");
  expect(packages.filter((each) => !licences.includes(`- ${idOf(each)} (${each.licence})`))).toEqual([]);
});

const hog = `process.on("SIGUSR2", function plantedHog() { const end = Date.now() + 2000; while (Date.now() < end); });`;

test("the watchdog of the installed package logs the stack of a stuck main thread", async () => {
  const args = ["serve", bookinfo, ...ports, "--watchdog", "500ms", "--log-format", "json"];
  const child = installedBinnacle(args, ["--import", `data:text/javascript,${encodeURIComponent(hog)}`]);
  await child.line(/^ready: /u, { seconds: 60 });
  child.kill("SIGUSR2");
  const { stack } = JSON.parse(await child.logged(/"msg":"main thread is stuck"/u)) as { stack: readonly string[] };
  expect(stack[0]).toMatch(/^plantedHog \(/u);
  await child.logged(/"msg":"main thread continues"/u);
});

/** Three proxies of the example: sidecars that speak SotW or delta, and the gateway. */
function startFleet(port: number): Disposable & { readonly fleet: Fleet } {
  const shares: FleetShares = { routers: 0.34, grpc: 0, delta: 0.5, slow: 0, nack: 0, reconnect: 0 };
  const members = fleetMembers({
    proxies: 3,
    shares,
    namespaces: ["bookinfo"],
    routerLabels: { app: "gateway" },
    targets: [],
    reconnectEveryMs: 5_000,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
  const fleet = new Fleet({ address: { host: "127.0.0.1", port }, members, perSecond: undefined });
  fleet.start();
  return { fleet, [Symbol.dispose]: () => fleet.stop() };
}
