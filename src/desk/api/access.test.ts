import { beforeAll, describe, expect, test } from "vitest";
import type { Viewer } from "../../admin/viewer.ts";
import { deskRig, nodeIn } from "../../testing/desk/desk-rig.ts";
import type { DeskState } from "./desk-state.ts";
import type { Endpoint } from "./endpoint.ts";
import { apiEndpoints } from "./endpoints.ts";

interface Asked {
  /** The values of the path, for both viewers. */
  readonly values?: (state: DeskState) => readonly string[];
  readonly query?: string;
  /** A search of the workload: the configuration of its own proxy names every service that the proxy may call. */
  readonly within?: string;
  readonly body?: object;
  /** The values of the path of something in `bbb` alone: a workload of `aaa` gets 404. */
  readonly foreign?: (state: DeskState) => readonly string[];
  /** A well mesh has none. */
  readonly empty?: true;
}

const hostIn = (namespace: string) => [namespace, `store-${namespace}.${namespace}.svc.cluster.local`];
const idOf = (state: DeskState, place: number) => [state.journal.changes[place]?.id ?? ""];

const ofProxy: Asked = { values: () => [nodeIn("aaa")], foreign: () => [nodeIn("bbb")] };
const ofObject: Asked = {
  values: () => ["VirtualService", "aaa", "routes-aaa"],
  foreign: () => ["VirtualService", "bbb", "routes-bbb"],
};
const clusterOf = (namespace: string) => `outbound|80||store-${namespace}.${namespace}.svc.cluster.local`;

/** Every endpoint for workloads has a row. */
const rows: Readonly<Record<string, Asked>> = {
  "GET /overview": {},
  "GET /changes": {},
  "GET /changes/ID": { values: (state) => idOf(state, 1), foreign: (state) => idOf(state, 0) },
  "GET /history": {},
  "GET /history/diff": { query: "from=1&to=2" },
  "GET /history/proxies": { query: "at=2" },
  "GET /history/proxies/NODE/diff": {
    values: () => [nodeIn("aaa")],
    foreign: () => [nodeIn("bbb")],
    query: "from=1&to=2",
  },
  "GET /mesh": {},
  "GET /mesh/conflicts": { empty: true },
  "GET /mesh/gateways": {},
  "GET /mesh/namespaces/NAME": { values: () => ["aaa"], foreign: () => ["bbb"] },
  "GET /mesh/services": {},
  "GET /mesh/services/NAMESPACE/HOSTNAME": { values: () => hostIn("aaa"), foreign: () => hostIn("bbb") },
  "GET /rollouts": { empty: true },
  "GET /proxies": {},
  "GET /proxies/NODE": ofProxy,
  "GET /proxies/NODE/services": { ...ofProxy, within: "search=aaa" },
  "GET /proxies/NODE/resources": { ...ofProxy, within: "search=aaa" },
  "GET /proxies/NODE/resources/NAME": {
    values: () => [nodeIn("aaa"), clusterOf("aaa")],
    foreign: () => [nodeIn("bbb"), clusterOf("bbb")],
    query: "type=CDS",
  },
  "GET /proxies/NODE/diff": { ...ofProxy, query: `with=${encodeURIComponent(nodeIn("aaa"))}` },
  "GET /proxies/NODE/diff/NAME": {
    values: () => [nodeIn("aaa"), clusterOf("aaa")],
    foreign: () => [nodeIn("bbb"), clusterOf("bbb")],
    query: `type=CDS&with=${encodeURIComponent(nodeIn("aaa"))}`,
  },
  "GET /configuration": {},
  "GET /configuration/KIND/NAMESPACE/NAME": ofObject,
  "GET /configuration/KIND/NAMESPACE/NAME/proxies": ofObject,
  "POST /explain": {
    body: { node: nodeIn("aaa"), from: "client", method: "GET", url: "http://store-aaa.aaa.svc.cluster.local/" },
  },
};

const operator: Viewer = { type: "system" };
const workload: Viewer = { type: "namespace", namespace: "aaa" };
let rig: Awaited<ReturnType<typeof deskRig>>;

beforeAll(async () => {
  rig = await deskRig();
});

/** The rows of the table, without a mesh. */
const endpoints = apiEndpoints({} as DeskState);
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

async function answerOf(name: string, viewer: Viewer, values: readonly string[] = []) {
  const endpoint = apiEndpoints(rig.state).find((each) => nameOf(each) === name);
  const { query = "", within = query, body } = rows[name] ?? {};
  const parameters = new URLSearchParams(viewer === workload ? within : query);
  return await endpoint?.answer({ viewer, values, query: parameters, body });
}

test("every endpoint for workloads has a row here", () => {
  const open = endpoints.filter(({ access }) => access === "namespace").map(nameOf);
  expect(Object.keys(rows).toSorted()).toEqual(open.toSorted());
});

test("every endpoint that changes state is for operators with a token, and no other one is a PUT", () => {
  const changing = endpoints.filter(({ changesState }) => changesState === true);
  expect(changing.map(({ access }) => access)).toEqual(changing.map(() => "operators"));
  expect(endpoints.filter(({ method }) => method === "PUT")).toEqual(changing);
});

describe.each(Object.entries(rows))("%s", (name, { values, empty = false }) => {
  test("shows a workload its own namespace, and no trace of another one", async () => {
    const answer = await answerOf(name, workload, values?.(rig.state));
    expect(answer?.status).toBe(200);
    expect(JSON.stringify(answer?.body)).not.toContain("bbb");
    expect(JSON.stringify(answer?.body).includes("aaa")).toBe(!empty);
  });
});

const named = Object.entries(rows).flatMap(([name, { foreign }]) =>
  foreign === undefined ? [] : [[name, foreign] as const],
);

test.each(named)("%s shows an operator everything, and a workload nothing of others", async (name, foreign) => {
  const values = foreign(rig.state);
  expect(JSON.stringify((await answerOf(name, operator, values))?.body)).toContain("bbb");
  expect(await answerOf(name, workload, values)).toMatchObject({ status: 404 });
});

describe("the change that a proxy rejects", () => {
  test("names the words of the proxy, the objects behind it, and its place", async () => {
    const answer = await answerOf("GET /changes/ID", operator, idOf(rig.state, 0));
    expect(answer?.body).toMatchObject({
      state: { type: "rejected" },
      objects: { items: [{ id: "VirtualService/bbb/routes-bbb", operation: "updated", reference: "a.yaml:12" }] },
      delivery: { sent: 2, acknowledged: 1, rejected: 1, disconnected: 0, behind: 0 },
      push: { types: [{ type: "RDS", responses: 2 }] },
      rejections: { items: [{ type: "RDS", message: "rejected by the model", proxies: 1, nodes: [nodeIn("bbb")] }] },
      behind: { total: 0 },
    });
  });

  test("makes the overview fail with the next step", async () => {
    const answer = await answerOf("GET /overview", operator);
    expect(answer?.body).toMatchObject({
      health: "failing",
      proxies: { total: 2, synced: 1, behind: 0, rejecting: 1 },
      advice: [{ severity: "error", link: "/proxies?state=rejecting" }],
    });
    expect((await answerOf("GET /overview", workload))?.body).toMatchObject({
      health: "well",
      proxies: { total: 1, synced: 1 },
    });
  });
});
