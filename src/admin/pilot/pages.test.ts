import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { HttpProtocolOptionsSchema } from "#gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.js";
import { DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { configId } from "../../config/config.ts";
import { proxyClassOf } from "../../pilot/model/proxy/proxy-class.ts";
import type { QuarantineReport } from "../../pilot/xds/quarantine/report.ts";
import { Overload } from "../../lib/overload/overload.ts";
import { ToyControlPlane, toyEnvoy } from "../../testing/envoy/toy-control-plane.ts";
import { clusterType, endpointType, listenerType } from "../../xds/type-urls.ts";

import { ready } from "../probes/http-probes.ts";
import { resourceJson } from "../resource/resource-json.ts";
import type { Route } from "../route.ts";
import { adszPage } from "./adsz.ts";
import { cachezPage } from "./cachez.ts";
import { configDumpPages } from "./config-dump.ts";
import { connectionsPage } from "./connections.ts";
import { distributionPage } from "./distribution.ts";
import { forceDisconnectPage } from "./force-disconnect.ts";
import { nacksPage } from "./nacks.ts";
import { resourcesPage } from "./resources.ts";
import { synczPage } from "./syncz.ts";

const mesh = {
  clusters: new Map([["reviews", 1]]),
  endpoints: new Map([["reviews", 1]]),
  routes: new Map([["http", ["reviews"]]]),
};
const node = "router~127.0.0.1~gw.shop~shop.svc.cluster.local";

interface ConfigDump {
  readonly configs: readonly { readonly "@type": string }[];
}

/** A gateway that rejects its listeners and has taken everything else. */
async function rejectingGateway() {
  const plane = new ToyControlPlane(mesh);
  const envoy = toyEnvoy("sotw", "shop");
  envoy.reject = (typeUrl) => typeUrl === listenerType;
  plane.connect(envoy);
  await plane.settle(envoy);
  return {
    connections: () => plane.server.connections,
    originOf: () => ({ source: "file:mesh", reference: "mesh/toy.yaml:3", locate: () => undefined }),
    parts: () => plane.server.catalogue.parts,
    patchesFor: () => [],
    quarantine: () => undefined,
    settled: () => plane.server.settled,
    published: () => plane.server.catalogue.published,
    pushAll: () => plane.server.pushAll("debug"),
    timeOf: (clockMs: number) => new Date(clockMs),
    plane,
    envoy,
  };
}

function configDump(state: Parameters<typeof configDumpPages>[0]): Route {
  const page = configDumpPages(state).find(({ path }) => path === "/debug/config_dump");
  if (page === undefined) throw new Error("there is a page for it");
  return page;
}

async function get({ answer }: Route, query = "") {
  const { status, body } = await answer(new URLSearchParams(query));
  return { status, body };
}

describe("the debug pages", () => {
  test("syncz shows per proxy and type the sent and the acknowledged version", async () => {
    const { body } = await get(synczPage(await rejectingGateway()), "namespace=shop");
    const [{ cluster_sent: nonce }] = JSON.parse(body) as [{ readonly cluster_sent: string }];
    expect(nonce).toMatch(/^\d+$/);
    const sentTime = expect.stringMatching(/^1970-/);
    expect(JSON.parse(body)).toMatchObject([
      {
        cluster_id: "",
        namespace: "shop",
        proxy: "gw.shop",
        node,
        connection: expect.stringContaining("gw.shop"),
        proxy_type: "router",
        istio_version: "",
        mode: "sotw",
        resources: {
          [clusterType]: { type: "CDS", state: "SYNCED", sent: nonce, acked: nonce, sentTime },
          [listenerType]: { type: "LDS", state: "ERROR", acked: "", lastError: "rejected by the model", sentTime },
        },
        cluster_acked: nonce,
        listener_acked: "",
        extensionconfig_sent: "",
      },
    ]);
  });

  test("syncz of another namespace is empty", async () => {
    expect((await get(synczPage(await rejectingGateway()), "namespace=other")).body).toBe("[]\n");
  });

  test("syncz is sorted by cluster, namespace and name, and an acknowledged type has equal nonces", async () => {
    const state = await rejectingGateway();
    for (const namespace of ["b", "a"]) {
      const envoy = toyEnvoy("delta", namespace);
      state.plane.connect(envoy);
      await state.plane.settle(envoy);
    }
    const shown = JSON.parse((await get(synczPage(state))).body) as readonly Record<string, unknown>[];
    expect(shown.map(({ namespace }) => namespace)).toEqual(["a", "b", "shop"]);
    expect(shown[0]?.["cluster_sent"]).toBe(shown[0]?.["cluster_acked"]);
    expect(shown[0]?.["resources"]).toMatchObject({ [clusterType]: { sentTime: expect.stringContaining("T") } });
  });

  test("connections shows each stream with its start time and peer address", async () => {
    const { body } = await get(connectionsPage(await rejectingGateway()));
    const client = {
      node,
      connection: "gw.shop-1",
      connectedAt: "1970-01-01T00:00:00.000Z",
      address: expect.any(String),
    };
    expect(JSON.parse(body)).toMatchObject({ total: 1, clients: [client] });
  });

  test("adsz shows the subscriptions of each stream, or of one named proxy", async () => {
    const page = adszPage(await rejectingGateway());
    const client = { node, labels: {}, watches: { [clusterType]: ["*"], [endpointType]: ["reviews"] } };
    expect(JSON.parse((await get(page)).body)).toMatchObject({ totalClients: 1, clients: [client] });
    expect(JSON.parse((await get(page, "proxyID=gw.shop")).body)).toMatchObject({ totalClients: 1 });
    expect((await get(page, "proxyID=nobody")).status).toBe(404);
  });

  test("adsz pushes to all proxies after a POST, and not after a GET", async () => {
    const state = await rejectingGateway();
    const { change } = adszPage(state);
    expect((await get(adszPage(state), "push=true")).status).toBe(405);
    expect(await change?.apply("push=false")).toMatchObject({ status: 400 });
    expect(await change?.apply("push=true")).toMatchObject({ status: 200, body: "pushed to 1 connections\n" });
    expect(state.plane.server.settled).toBe(false);
    await state.plane.pushed();
    expect(state.plane.server.settled).toBe(true);
  });

  test("nacks names the resource, the object, its place and the proxies", async () => {
    expect(JSON.parse((await get(nacksPage(await rejectingGateway()))).body)).toEqual([
      {
        type: "LDS",
        message: "rejected by the model",
        resources: ["http"],
        objects: [{ object: "Toy/toy/http", reference: "mesh/toy.yaml:3" }],
        proxies: [node],
        quarantined: [],
      },
    ]);
  });

  test("nacks and syncz name the objects that are kept away from a proxy, by its class", async () => {
    const state = await rejectingGateway();
    const [connection] = state.connections();
    if (connection === undefined) throw new Error("no proxy");
    const refusal = { id: configId("Toy", "toy", "http"), classId: proxyClassOf(connection.client).id, arrivedAt: [] };
    const elsewhere = { ...refusal, id: configId("Toy", "toy", "reviews"), classId: "another class" };
    const inWave = { ...refusal, id: configId("Toy", "toy", "ratings"), arrivedAt: [node] };
    const quarantine = () => ({ refusals: [refusal, elsewhere, inWave] }) as unknown as QuarantineReport;
    const [nack] = JSON.parse((await get(nacksPage({ ...state, quarantine }))).body);
    expect(nack).toMatchObject({ quarantined: ["Toy/toy/http"] });
    const [proxy] = JSON.parse((await get(synczPage({ ...state, quarantine }))).body);
    expect(proxy).toMatchObject({ proxy: "gw.shop", quarantined: ["Toy/toy/http"] });
  });

  test("config_distribution shows how many proxies have the current version of an object", async () => {
    const page = distributionPage(await rejectingGateway());
    const asked = async (query: string) => JSON.parse((await get(page, query)).body);
    expect(await asked("resource=Toy/toy/reviews")).toMatchObject({
      settled: true,
      message: "1/1 proxies up to date.",
    });
    expect(await asked("resource=Toy/toy/http")).toMatchObject({
      reference: "mesh/toy.yaml:3",
      message: "0/1 proxies up to date.",
      proxies: [{ node, upToDate: false, resources: [{ type: "LDS", name: "http", acked: "" }] }],
    });
    expect(await asked("resource=Toy/toy/http&proxy_namespace=bank")).toMatchObject({ total: 0 });
    expect((await get(page, "resource=reviews")).status).toBe(400);
  });

  test("cachez shows the parts in memory, the number of proxies that share them, and their size", async () => {
    const page = cachezPage(await rejectingGateway());
    const part = { type: "CDS", part: 'toy {"namespace":"shop"}', proxies: 1, resources: ["reviews"] };
    expect(JSON.parse((await get(page)).body)).toContainEqual(part);
    const { types, total } = JSON.parse((await get(page, "sizes=true")).body) as {
      readonly types: Readonly<Record<string, number>>;
      readonly total: number;
    };
    expect(Object.keys(types)).toEqual(["CDS", "EDS", "LDS"]);
    expect(total).toBe(Object.values(types).reduce((sum, bytes) => sum + bytes, 0));
  });

  test.each([node, "gw.shop", "gw.shop-1"])("resources finds a proxy by %s", async (proxyID) => {
    const { status, body } = await get(
      resourcesPage(await rejectingGateway()),
      new URLSearchParams({ proxyID }).toString(),
    );
    expect(status).toBe(200);
    const clusters = {
      type_url: clusterType,
      state: "SYNCED",
      resources: [expect.objectContaining({ name: "reviews", state: "SYNCED" })],
    };
    expect(JSON.parse(body).types).toContainEqual(clusters);
  });

  test.each([
    ["", 400, "missing parameter"],
    ["proxyID=other", 404, `perhaps to another instance; connected here:\n${node}`],
  ])("config_dump?%s explains itself", async (query, status, text) => {
    const answer = await get(configDump(await rejectingGateway()), query);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(text);
  });

  test("config_dump has the sections of Envoy's config_dump, with endpoints on request", async () => {
    const state = await rejectingGateway();
    const sections = async (query: string) => {
      const { configs } = JSON.parse((await get(configDump(state), query)).body) as ConfigDump;
      return configs.map((section) => section["@type"].split(".").at(-1)?.replace("ConfigDump", ""));
    };
    const some = ["Bootstrap", "Clusters", "Listeners", "ScopedRoutes", "Routes", "Secrets", "Ecds"];
    expect(await sections("proxyID=gw.shop")).toEqual(some);
    expect(await sections("proxyID=gw.shop&include_eds")).toEqual(some.toSpliced(2, 0, "Endpoints"));
  });

  test("config_dump shows rejected resources in the same place as Envoy", async () => {
    const { body } = await get(configDump(await rejectingGateway()), "proxyID=gw.shop");
    const listeners = (JSON.parse(body) as ConfigDump).configs.find((each) => each["@type"].includes("Listeners"));
    expect(listeners).toMatchObject({
      dynamic_listeners: [{ name: "http", error_state: { details: "rejected by the model" } }],
    });
  });

  test("config_dump shows a workload the proxies of its own namespace only", async () => {
    const { answerWithin } = configDump(await rejectingGateway());
    const query = new URLSearchParams({ proxyID: node });
    expect(await answerWithin?.("shop", query)).toMatchObject({ status: 200 });
    expect(await answerWithin?.("bank", query)).toMatchObject({
      status: 404,
      body: `${node} is not connected to this server, perhaps to another instance; no proxy is connected\n`,
    });
  });

  test("force_disconnect ends the stream of one proxy after a POST", async () => {
    const state = await rejectingGateway();
    const { answer, change } = forceDisconnectPage(state);
    expect(await answer(new URLSearchParams("proxyID=gw.shop"))).toMatchObject({ status: 405 });
    expect(await change?.apply("")).toMatchObject({ status: 400 });
    expect(await change?.apply("proxyID=nobody")).toMatchObject({ status: 404 });
    expect([...state.connections()]).toHaveLength(1);
    expect(await change?.apply("proxyID=gw.shop")).toMatchObject({ status: 200, body: "ended gw.shop-1\n" });
    expect([...state.connections()]).toHaveLength(0);
  });

  const available = { name: "xds", awaited: () => [] };

  test("ready names the missing conditions", async () => {
    const processing = { name: "processing", awaited: () => ["source file:a", "source file:b"] };
    const xds = { name: "xds", awaited: () => ["first push"] };
    expect(await get(ready([processing, xds], new Overload()))).toEqual({
      status: 503,
      body: "waiting for processing: source file:a, processing: source file:b, xds: first push\n",
    });
    expect(await get(ready([available], new Overload()))).toEqual({ status: 200, body: "ready\n" });
  });

  test("a loaded server stays ready, and says why it is loaded", async () => {
    const overload = new Overload();
    const memory = { usedBytes: 96, limitBytes: 100 };
    overload.measured({ loopDelayMs: 0, heap: memory, resident: memory, queueMs: 0 });
    expect(await get(ready([available], overload))).toEqual({
      status: 200,
      body: "ready, load critical: the heap is 96 % of 0 MiB full\n",
    });
  });
});

describe("a resource as JSON", () => {
  test("is opened down to the last Any", () => {
    const options = anyPack(
      HttpProtocolOptionsSchema,
      create(HttpProtocolOptionsSchema, {
        upstreamProtocolOptions: {
          case: "explicitHttpConfig",
          value: { protocolConfig: { case: "http2ProtocolOptions", value: {} } },
        },
      }),
    );
    const cluster = create(ClusterSchema, { name: "reviews", typedExtensionProtocolOptions: { http: options } });
    const response = create(DiscoveryResponseSchema, { resources: [anyPack(ClusterSchema, cluster)] });
    expect(resourceJson(toBinary(DiscoveryResponseSchema, response))).toEqual({
      "@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster",
      name: "reviews",
      typed_extension_protocol_options: {
        http: {
          "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
          explicit_http_config: { http2_protocol_options: {} },
        },
      },
    });
  });

  test("of an unknown type is shown as bytes", () => {
    const any = { typeUrl: "type.googleapis.com/no.such.Type", value: Uint8Array.of(1) };
    const entry = toBinary(DiscoveryResponseSchema, create(DiscoveryResponseSchema, { resources: [any] }));
    expect(resourceJson(entry)).toMatchObject({ unreadable: expect.stringContaining("no.such.Type") });
  });
});
