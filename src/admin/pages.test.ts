import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { HttpProtocolOptionsSchema } from "#gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.js";
import { DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { ToyControlPlane, toyEnvoy } from "../testing/toy-control-plane.ts";
import { clusterType, listenerType } from "../xds/type-urls.ts";

import { configDump, resourceJson } from "./config-dump.ts";
import { connections } from "./connections.ts";
import { ready } from "./probes/http-probes.ts";
import type { Route } from "./route.ts";
import { syncz } from "./syncz.ts";

const mesh = {
  clusters: new Map([["reviews", 1]]),
  endpoints: new Map([["reviews", 1]]),
  routes: new Map([["http", ["reviews"]]]),
};
const node = "router~127.0.0.1~gw.shop~shop.svc.cluster.local";

/** A gateway that rejects its listeners and has taken everything else. */
async function rejectingGateway() {
  const plane = new ToyControlPlane(mesh);
  const envoy = toyEnvoy("sotw", "shop");
  envoy.reject = (typeUrl) => typeUrl === listenerType;
  plane.connect(envoy);
  await plane.settle(envoy);
  return { connections: () => plane.server.connections, originOf: () => undefined };
}

async function get({ answer }: Route, query = "") {
  const { status, body } = await answer(new URLSearchParams(query));
  return { status, body };
}

describe("the debug pages", () => {
  test("syncz tells per proxy and type what was sent and how it was taken", async () => {
    const { body } = await get(syncz(await rejectingGateway()), "namespace=shop");
    expect(JSON.parse(body)).toMatchObject([
      {
        proxy: "gw.shop",
        proxy_type: "router",
        mode: "sotw",
        resources: {
          [clusterType]: { type: "CDS", state: "SYNCED" },
          [listenerType]: { type: "LDS", state: "ERROR", acked: "", error: "rejected by the model" },
        },
      },
    ]);
  });

  test("syncz of another namespace is empty", async () => {
    expect((await get(syncz(await rejectingGateway()), "namespace=other")).body).toBe("[]\n");
  });

  test("connections tells what each stream asks for", async () => {
    const { body } = await get(connections(await rejectingGateway()));
    expect(JSON.parse(body)).toMatchObject({
      total: 1,
      clients: [{ node, watches: { [clusterType]: { wildcard: true, names: [] } } }],
    });
  });

  test.each([node, "gw.shop"])("config_dump knows a proxy as %s", async (proxyID) => {
    const { status, body } = await get(
      configDump(await rejectingGateway()),
      new URLSearchParams({ proxyID }).toString(),
    );
    expect(status).toBe(200);
    const clusters = {
      type_url: clusterType,
      state: "SYNCED",
      resources: [expect.objectContaining({ name: "reviews" })],
    };
    expect(JSON.parse(body).types).toContainEqual(clusters);
  });

  test.each([
    ["", 400, "which proxy?"],
    ["proxyID=other", 404, `connected here:\n${node}`],
  ])("config_dump?%s explains itself", async (query, status, text) => {
    const answer = await get(configDump(await rejectingGateway()), query);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(text);
  });

  test("config_dump shows a workload the proxies of its own namespace, and no trace of others", async () => {
    const { answerWithin } = configDump(await rejectingGateway());
    const query = new URLSearchParams({ proxyID: node });
    expect(await answerWithin?.("shop", query)).toMatchObject({ status: 200 });
    expect(await answerWithin?.("bank", query)).toMatchObject({
      status: 404,
      body: `${node} is not connected to this server; no proxy is connected\n`,
    });
  });

  test("ready names what is awaited", async () => {
    const processing = { name: "processing", awaited: () => ["source file:a", "source file:b"] };
    const xds = { name: "xds", awaited: () => ["first push"] };
    expect(await get(ready([processing, xds]))).toEqual({
      status: 503,
      body: "waiting for processing: source file:a, processing: source file:b, xds: first push\n",
    });
    expect((await get(ready([{ name: "xds", awaited: () => [] }]))).status).toBe(200);
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

  test("of a type nobody knows is shown as bytes", () => {
    const any = { typeUrl: "type.googleapis.com/no.such.Type", value: Uint8Array.of(1) };
    const entry = toBinary(DiscoveryResponseSchema, create(DiscoveryResponseSchema, { resources: [any] }));
    expect(resourceJson(entry)).toMatchObject({ unreadable: expect.stringContaining("no.such.Type") });
  });
});
