import type { PageAnswer, Route } from "../../src/admin/route.ts";
import type { PressureMeter } from "../../src/app/overload/process-pressure.ts";
import { YamlSource } from "../../src/testing/galley/yaml-source.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { pageOf, rawClient, shopEntry, started, wiredServer } from "../../src/testing/server/wired-server.ts";
import { clusterType, endpointType, listenerType, routeType, secretType } from "../../src/xds/type-urls.ts";
import { debugPages } from "../reference/introspection.ts";
import { jsonPaths } from "./json-paths.ts";
import { caRoute, mesh, node, preparedCommands, quarantineRoute, type Serving } from "./prepared-commands.ts";
import { rolloutsRoute } from "./rollout-pages.ts";

/** Names above JSON that is not ours: messages of Envoy, objects of users, and their labels. */
const foreign: ReadonlySet<string> = new Set(
  "cluster listener route_config endpoint_config resource spec labels metadata annotations".split(" "),
);

/** Pages need a proxy or an object, or show more without them. The second object reaches no proxy. */
const queries = [
  "",
  "?proxyID=web-0.shop&resource=VirtualService/shop/reviews",
  "?resource=PeerAuthentication/shop/default",
  "?object=VirtualService/shop/reviews",
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
  "proxy-config all web-0.shop --server ADDR",
  "proxy-status --server ADDR",
  "proxy-status web-0.shop --server ADDR",
  "sources --server ADDR",
  `translate ${mesh} --node ${node}`,
  "version --server ADDR",
  "wait VirtualService/reviews -n shop --timeout 0s --server ADDR",
  `why ${node} cluster outbound|80||reviews.example type -f ${mesh}`,
  `why ${mesh}/objects.yaml:16 -f ${mesh}`,
];

/** Commands that print only JSON of others, or none. */
export const otherCommands: Readonly<Record<string, string>> = {
  bootstrap: "prints a file of Envoy or gRPC",
  get: "prints objects of users",
  inject: "prints objects of users",
  workload: "writes files",
};

/** The lists of messages of Envoy in the output of these commands. In other commands the names are ours. */
const resourceLists = new Set([...foreign, "clusters", "endpoints", "extensions", "listeners", "routes"]);
const foreignIn: Readonly<Record<string, ReadonlySet<string>>> = {
  "proxy-config": resourceLists,
  translate: resourceLists,
};

export const checkedCommands: ReadonlySet<string> = new Set([
  ...commandLines.map((line) => line.split(" ", 1)[0] ?? ""),
  ...Object.keys(preparedCommands),
]);

/** The names in the JSON of debug pages and commands, as `PAGE PATH`, for a mesh with problems and a NACK. */
export async function jsonNames(): Promise<readonly string[]> {
  const serving = await startServing();
  const { server } = serving;
  const names = new Set<string>();
  const note = (owner: string, json: string, others = foreign) => {
    for (const name of jsonPaths(JSON.parse(json), others)) names.add(`${owner} ${name}`);
  };
  for (const { path } of debugPages()) {
    for (const query of queries) {
      const { status, body } = await pageOf(server, `${path}${query}`);
      if (status === 200 && /^[[{]/u.test(body)) note(`page ${path}`, body);
    }
  }
  for (const route of [quarantineRoute(), rolloutsRoute(), await caRoute()]) note(`page ${route.path}`, bodyOf(route));
  for (const topic of topics) {
    const { body } = await pageOf(server, `/${topic}j/`, { port: "ctrlz" });
    note(`page /${topic}j/`, body);
  }
  for (const line of commandLines) {
    const { http } = server.listeners.addresses;
    const { stdout, stderr } = await runCommand([...line.replace("ADDR", http).split(" "), "-o", "json"]);
    if (stdout === "") throw new Error(`${line}: ${stderr}`);
    const [command = ""] = line.split(" ", 1);
    note(`json ${command}`, stdout, foreignIn[command]);
  }
  // They change the mesh of the server.
  for (const [command, json] of Object.entries(preparedCommands)) note(`json ${command}`, await json(serving));
  return [...names];
}

function bodyOf({ answer }: Route): string {
  const { body } = answer(new URLSearchParams()) as PageAnswer;
  return body;
}

async function startServing(): Promise<Serving> {
  const second = new YamlSource("second");
  const server = wiredServer({ sources: [`file:${mesh}`] }, { ownSources: [second], pressure: idleMeter });
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
  const edit = async (text: string) => {
    second.apply(text);
    server.clock.advance(1000);
    await server.discovery.idle();
  };
  return { server, edit };
}

const noMemory = { usedBytes: 0, limitBytes: Number.POSITIVE_INFINITY };

/** A process without load. */
const idleMeter: PressureMeter = {
  heapLimitBytes: Number.POSITIVE_INFINITY,
  start: () => {},
  measure: () => ({ loopDelayMs: 0, heap: noMemory, resident: noMemory }),
  stop: () => {},
};

const subscriptions: readonly (readonly [type: string, names: string[]])[] = [
  [clusterType, []],
  [endpointType, ["outbound|80||reviews.example"]],
  [listenerType, []],
  [routeType, ["80"]],
  // Refused, missing and served.
  [secretType, ["kubernetes://none", "configmap://shop/none", "configmap://shop/roots"]],
];

async function isAnalysisPending(server: Parameters<typeof pageOf>[0]): Promise<boolean> {
  const page = JSON.parse((await pageOf(server, "/debug/analysis")).body) as { readonly pending: boolean };
  return page.pending;
}
