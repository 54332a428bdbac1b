import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { HttpServer } from "../../src/admin/http-server.ts";
import { rotationPage } from "../../src/admin/pilot/ca-rotation.ts";
import { quarantinePage } from "../../src/admin/pilot/quarantine-page.ts";
import { json, type Route } from "../../src/admin/route.ts";
import { FileSegments } from "../../src/app/history/file-segments.ts";
import { FleetWriter } from "../../src/history/fleet-writer.ts";
import { segmentName } from "../../src/app/history/segment-store.ts";
import { rotationReport } from "../../src/app/ca/rotation-report.ts";
import type { Outcome } from "../../src/app/store/object-store.ts";
import { beginRotation, firstRoots, rotationTimes } from "../../src/ca/rotation.ts";
import { fleetMembers } from "../../src/cli/nodes/fleet-members.ts";
import { kindNamed } from "../../src/cli/objects/kind-named.ts";
import { printReport } from "../../src/cli/objects/print-report.ts";
import { configId } from "../../src/config/config.ts";
import { assert } from "../../src/lib/assert.ts";
import { configsIn } from "../../src/testing/config/configs-in.ts";
import { segmentRecords } from "../../src/testing/history/written-segment.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import type { QuarantineReport } from "../../src/pilot/xds/quarantine/report.ts";
import { madeRoot } from "../../src/testing/ca/made-authority.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { recordedShop, withChangedRoute } from "../../src/testing/recording/recorded-shop.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { until } from "../../src/testing/until.ts";
import { shopEntry, type wiredServer } from "../../src/testing/server/wired-server.ts";
import { rolloutsRoute, stagedProgressRoute } from "./rollout-pages.ts";

/** The mesh of the checked command lines, and the proxy in it. */
export const mesh = join(import.meta.dirname, "mesh");
export const node = "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local";

const id = { kind: kindNamed("VirtualService"), namespace: "shop", name: "reviews" };

/** A started server with one proxy, and an edit of the mesh that ends when it is pushed. */
export interface Serving {
  readonly server: ReturnType<typeof wiredServer>;
  readonly edit: (text: string) => Promise<void>;
}

/** Commands whose JSON shows everything only after a preparation. Each returns the JSON of its command. */
export const preparedCommands: Readonly<Record<string, (serving: Serving) => Promise<string>>> = {
  apply: () => Promise.resolve(reportJson({ id, type: "changed", version: "2" })),
  ca: async () => await jsonOf(["ca", "status", "--server", await pageServer(await caRoute())]),
  delete: () => Promise.resolve(reportJson({ id, type: "deleted" })),
  diff: async () => {
    const text = readFileSync(join(mesh, "objects.yaml"), "utf8");
    return await jsonOf(["diff", mesh, "-", "--node", node], text.replace("10.0.0.9", "10.0.0.8"));
  },
  fleet: fleetJson,
  history: historyJson,
  plan: async () =>
    await jsonOf(["plan", "-", "--against", mesh, "--delete", "VirtualService/shop/rival"], changedRoutes),
  "proxy-config": secretJson,
  quarantine: async () => await jsonOf(["quarantine", "list", "--server", await pageServer(quarantineRoute())]),
  rollout: async () => await jsonOf(["rollout", "list", "--server", await pageServer(rolloutsRoute())]),
  replay: replayJson,
  top: topJson,
  wait: async () =>
    await jsonOf(["wait", "vs/reviews", "-n", "shop", "--timeout", "0s", "--server", await waitServer()]),
};

/** `wait` also reads the issues of the server. */
async function waitServer(): Promise<string> {
  const issues: Route = { path: "/debug/issues", doc: "", answer: () => json({ issues: [] }) };
  return await pageServer(stagedProgressRoute(), issues);
}

/** Everything that the command prints of two versions of one object. */
async function historyJson(): Promise<string> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  const store = new FileSegments(tree.directory);
  const versions = ["one", "two"].map((host, index) => {
    const [config] = configsIn(shopEntry(host, `10.0.0.${index}`).replace(`name: ${host}`, "name: same"));
    assert(config !== undefined, "the text has an object");
    return { ...config, origin: { ...config.origin, author: "kubectl", revision: "7" } };
  });
  await store.append(
    segmentName({ number: 1, at: 1_000 }, "00000000"),
    [...segmentRecords(versions.slice(0, 1), versions.slice(1)), slowProxy()].join(""),
  );
  await store.close();
  const [object] = versions.map(({ namespace, name }) => `ServiceEntry/${namespace}/${name}`);
  const questions = [
    ["list"],
    ["at", "now", "show"],
    ["at", "now", "show", "proxies"],
    ["at", "now", "show", object],
    ["at", "1", "diff"],
    ["at", "now", "blame", object],
    ["at", "now", "show", node],
    ["at", "now", "blame", node],
  ];
  const answers: Record<string, unknown> = {};
  for (const words of questions) {
    const args = ["history", ...words.filter((word) => word !== undefined), "--history", tree.directory];
    Object.assign(answers, JSON.parse(await jsonOf(args)));
  }
  return JSON.stringify(answers);
}

/** The record of a proxy that has not accepted the last moment. */
function slowProxy(): string {
  const nodeId = "sidecar~10.0.0.7~slow-0.shop~shop.svc.cluster.local";
  const facts = { namespace: "shop", build: "1.40.0" };
  return new FleetWriter().change({
    at: 3_000,
    moment: 2,
    came: [{ nodeId, facts, extensions: [] }],
    gone: [],
    behind: [[nodeId, { LDS: [1, "waiting"] }]],
    current: [],
  });
}

/** A replay with a difference, and the state of its proxy. */
async function replayJson(): Promise<string> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  await tree.write("server.recording", withChangedRoute(await recordedShop()));
  return await jsonOf(["replay", tree.path("server.recording")]);
}

/** An answer, a share that fails, and a header. */
const changedRoutes = `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: reviews, namespace: shop }
spec:
  hosts: [reviews.example]
  http:
    - match: [{ headers: { x-user: { exact: a } } }]
      directResponse: { status: 404 }
    - route:
        - { destination: { host: reviews.example, subset: v1 }, weight: 50 }
        - { destination: { host: none.example }, weight: 50 }
`;

async function jsonOf(args: readonly string[], input = ""): Promise<string> {
  const { stdout, stderr } = await runCommand([...args, "-o", "json"], { input });
  if (stdout === "") throw new Error(`${args.join(" ")}: ${stderr}`);
  return stdout;
}

async function pageServer(...routes: readonly Route[]): Promise<string> {
  const logger = new RecordingLogger();
  const server = new HttpServer({ address: "127.0.0.1:0", routes, logger, onFailure: () => {} });
  onTestFinished(() => server.stop());
  return await server.start();
}

/** The report about a change that was made, one that was refused and one that was skipped. */
function reportJson(done: Outcome): string {
  const outcomes: readonly Outcome[] = [done, { id, type: "refused", reason: "" }, { id, type: "skipped" }];
  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  const terminal = { print, printData: print, complain: () => {} } as unknown as Parameters<typeof printReport>[2];
  printReport({ outcomes, note: "" }, { notation: "json", dryRun: false }, terminal);
  return printed.join("\n");
}

/** An authority in the middle of a root rotation. */
export async function caRoute(): Promise<Route> {
  const times = rotationTimes(3_600_000);
  const roots = beginRotation(firstRoots(await madeRoot("root"), times, 0), await madeRoot("next"), 0);
  const report = () => rotationReport({ roots, current: undefined }, times);
  return rotationPage({ report, carryOut: () => Promise.resolve() });
}

/** The page of the quarantine with everything that it can show. The mesh of the other pages has no refused object. */
export function quarantineRoute(): Route {
  const object = configId("VirtualService", "shop", "reviews");
  const facts = {
    classId: "1",
    id: object,
    version: "v2",
    reason: "",
    since: 0,
    node,
    confirmedBy: node,
    probes: 1,
    keptFrom: 1,
    arrivedAt: [],
  };
  const refusal = { ...facts, rejected: [{ type: "RDS", resources: ["80"] }] };
  const report: QuarantineReport = {
    classes: [],
    refusals: [
      { ...refusal, instead: { type: "earlier version", version: "v1" }, state: { type: "being tried", node } },
      { ...refusal, instead: { type: "denied" }, state: { type: "wave", wave: 1, waves: 2 } },
    ],
    released: [{ classId: "1", id: object, version: "v2" }],
    search: { classId: "1", node, suspects: [], probes: 0 },
    untrusted: [{ node, reason: "reconnects", until: 0 }],
  };
  const state = { connections: () => [], originOf: () => undefined, timeOf: () => new Date(0) };
  return quarantinePage({ ...state, quarantine: () => report }, undefined);
}

/** The report of a fleet that has seen a change, which `fleet` prints at its end. */
async function fleetJson({ server, edit }: Serving): Promise<string> {
  const [host = "", port = ""] = server.listeners.addresses.xds.split(":");
  const shares = { routers: 0, grpc: 0, delta: 0, slow: 0, nack: 0, reconnect: 0 };
  const members = fleetMembers({
    proxies: 2,
    shares,
    namespaces: ["shop"],
    routerLabels: {},
    targets: [],
    reconnectEveryMs: 1_000,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
  const fleet = new Fleet({ address: { host, port: Number(port) }, members, perSecond: undefined });
  onTestFinished(() => fleet.stop());
  fleet.start();
  await eventually("the fleet is in sync", () => fleet.report.inSync === 2, { seconds: 20 });
  await edit(shopEntry("edited"));
  await eventually("the fleet has seen the change", () => fleet.report.changes.length > 0, { seconds: 20 });
  return JSON.stringify(fleet.report);
}

/** `top` of an interval with a push. */
async function topJson({ server, edit }: Serving): Promise<string> {
  const clock = new FakeClock();
  const args = ["top", "--once", "-o", "json", "--server", server.listeners.addresses.http];
  const ran = runCommand(args, { clock });
  await until(() => clock.pending === 1);
  await edit(shopEntry("edited-again"));
  clock.advance(2_000);
  const { stdout, stderr } = await ran;
  if (stdout === "") throw new Error(stderr);
  return stdout;
}

/** A secret in each of its states. The other types have messages of Envoy. */
async function secretJson({ server, edit }: Serving): Promise<string> {
  const { root } = await madeRoot("roots");
  const metadata = { name: "roots", namespace: "shop" };
  await edit(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "ca.crt": root } }));
  return await jsonOf(["proxy-config", "secret", "web-0.shop", "--server", server.listeners.addresses.http]);
}
