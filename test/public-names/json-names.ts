import { join } from "node:path";
import { quarantinePage } from "../../src/admin/pilot/quarantine-page.ts";
import type { PageAnswer } from "../../src/admin/route.ts";
import { configId } from "../../src/config/config.ts";
import type { QuarantineReport } from "../../src/pilot/xds/quarantine/report.ts";
import { YamlSource } from "../../src/testing/galley/yaml-source.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { pageOf, rawClient, shopEntry, started, wiredServer } from "../../src/testing/server/wired-server.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../src/xds/type-urls.ts";
import { debugPages } from "../reference/introspection.ts";
import { jsonPaths } from "./json-paths.ts";

const mesh = join(import.meta.dirname, "mesh");
const node = "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local";

/** Names above JSON that is not ours: messages of Envoy, objects of users, and their labels. */
const foreign = new Set(
  "cluster listener route_config endpoint_config resource spec labels metadata annotations".split(" "),
);

/** Pages need a proxy or an object, or show more without them. The second object reaches no proxy. */
const queries = [
  "",
  "?proxyID=web-0.shop&resource=VirtualService/shop/reviews",
  "?resource=PeerAuthentication/shop/default",
];

/** Topics of introspection. The others show data of the process, or JSON of Node and of the metrics library. */
const topics = ["collection", "config", "proc", "scope", "version"];

/** Command lines that print JSON. `ADDR` is the address of a server. */
const commandLines = [
  `validate ${mesh}`,
  `analyze ${mesh}`,
  `explain ${mesh} --from ${node} http://reviews.example/`,
  `explain --server ADDR --from ${node} http://reviews.example/`,
  "describe VirtualService reviews -n shop --server ADDR",
  "proxy-status --server ADDR",
  "proxy-status web-0.shop --server ADDR",
  "sources --server ADDR",
  "version --server ADDR",
];

/** Commands whose JSON is not ours, or which need a store or many proxies. */
export const otherCommands: Readonly<Record<string, string>> = {
  apply: "needs a store",
  bootstrap: "prints a file of Envoy or gRPC",
  ca: "prints the page /debug/ca/rotation",
  delete: "needs a store",
  fleet: "needs many proxies",
  get: "prints objects of users",
  "proxy-config": "prints messages of Envoy",
  quarantine: "prints the page /debug/quarantine",
  translate: "prints messages of Envoy",
  workload: "writes files",
};

export const checkedCommands: ReadonlySet<string> = new Set(commandLines.map((line) => line.split(" ", 1)[0] ?? ""));

/** The names in the JSON of debug pages and commands, as `PAGE PATH`, for a mesh with problems and a NACK. */
export async function jsonNames(): Promise<readonly string[]> {
  const server = await serving();
  const names = new Set<string>();
  for (const { path } of debugPages()) {
    for (const query of queries) {
      const { status, body } = await pageOf(server, `${path}${query}`);
      if (status !== 200 || !/^[[{]/u.test(body)) continue;
      for (const name of jsonPaths(JSON.parse(body), foreign)) names.add(`page ${path} ${name}`);
    }
  }
  for (const name of jsonPaths(JSON.parse(quarantineJson()), foreign)) names.add(`page /debug/quarantine ${name}`);
  for (const topic of topics) {
    const { body } = await pageOf(server, `/${topic}j/`, { port: "ctrlz" });
    for (const name of jsonPaths(JSON.parse(body), foreign)) names.add(`page /${topic}j/ ${name}`);
  }
  for (const line of commandLines) {
    const { http } = server.listeners.addresses;
    const { stdout, stderr } = await runCommand([...line.replace("ADDR", http).split(" "), "-o", "json"]);
    if (stdout === "") throw new Error(`${line}: ${stderr}`);
    const [command] = line.split(" ", 1);
    for (const name of jsonPaths(JSON.parse(stdout), foreign)) names.add(`json ${command} ${name}`);
  }
  return [...names];
}

/** The page of the quarantine with everything that it can show. The mesh of the other pages has no refused object. */
function quarantineJson(): string {
  const id = configId("VirtualService", "shop", "reviews");
  const facts = {
    classId: "1",
    id,
    version: "v2",
    reason: "",
    since: 0,
    node,
    confirmedBy: node,
    probes: 1,
    keptFrom: 1,
  };
  const refusal = { ...facts, rejected: [{ type: "RDS", resources: ["80"] }] };
  const report: QuarantineReport = {
    classes: [],
    refusals: [
      { ...refusal, instead: { type: "earlier version", version: "v1" }, state: { type: "being tried", node } },
      { ...refusal, instead: { type: "denied" }, state: { type: "wave", wave: 1, waves: 2 } },
    ],
    released: [{ classId: "1", id, version: "v2" }],
    search: { classId: "1", node, suspects: [], probes: 0 },
    untrusted: [{ node, reason: "reconnects", until: 0 }],
  };
  const state = { connections: () => [], originOf: () => undefined, timeOf: () => new Date(0) };
  const { body } = quarantinePage({ ...state, quarantine: () => report }, undefined).answer(
    new URLSearchParams(),
  ) as PageAnswer;
  return body;
}

async function serving() {
  const second = new YamlSource("second");
  const server = wiredServer({ sources: [`file:${mesh}`] }, { ownSources: [second] });
  second.apply(shopEntry("reviews", "10.0.0.2"));
  await started(server);
  const proxy = rawClient(server.discovery);
  for (const [type, names] of subscriptions) {
    proxy.ask(type, { id: node, metadata: { LABELS: { app: "web" } } }, names);
    await server.discovery.idle();
    const { nonce = "" } = proxy.answers.findLast(({ typeUrl }) => typeUrl === type) ?? {};
    // An answer without names would end a subscription by name.
    if (names.length === 0) proxy.answer(type, nonce, type === listenerType ? "rejected" : undefined);
    await server.discovery.idle();
  }
  while (await isAnalysisPending(server)) server.clock.advance(1000);
  return server;
}

const subscriptions: readonly (readonly [type: string, names: string[]])[] = [
  [clusterType, []],
  [endpointType, ["outbound|80||reviews.example"]],
  [listenerType, []],
  [routeType, ["80"]],
];

async function isAnalysisPending(server: Parameters<typeof pageOf>[0]): Promise<boolean> {
  const page = JSON.parse((await pageOf(server, "/debug/analysis")).body) as { readonly pending: boolean };
  return page.pending;
}
