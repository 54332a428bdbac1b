import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { FilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { HttpFilterSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../testing/envoy/decoded-resource.ts";
import { noPolicies } from "../../testing/model/no-policies.ts";
import { stockListenerClient } from "../../testing/model/fake-listener-client.ts";
import { defaultMeshSettings } from "../model/mesh-settings.ts";
import type { FilterCapabilities } from "../model/proxy/capabilities.ts";
import type { Protocol } from "../model/service/service.ts";
import type { Direction } from "./filters/filter.ts";
import { httpFiltersFor, networkFiltersFor } from "./filters.ts";

const writer = new ProtoWriter();
const stock = stockListenerClient.capabilities;
const istio: FilterCapabilities = {
  ...stock,
  alpn: true,
  httpPeerMetadata: true,
  tcpMetadataExchange: true,
  stats: true,
};

const around = { mesh: defaultMeshSettings, policies: noPolicies };
const told = { hidesDebug: false, hidesIdentityOutside: false, ...around };

function httpFilters(direction: Direction, capabilities: FilterCapabilities, protocol: Protocol = "HTTP") {
  return httpFiltersFor({ direction, capabilities, protocol, ...told }, writer).map((bytes) =>
    fromBinary(HttpFilterSchema, bytes),
  );
}

/** Without the words that stock filters have in common. */
function httpNames(...args: Parameters<typeof httpFilters>): readonly string[] {
  return httpFilters(...args).map(({ name }) => name.replace("envoy.filters.", ""));
}

const common = ["http.grpc_stats", "http.fault", "http.cors", "http.router"];

test.each<Direction>(["outbound", "inbound", "gateway"])("a stock Envoy gets what it knows: %s", (direction) => {
  expect(httpNames(direction, stock)).toEqual(common);
});

test.each<[Direction, readonly string[]]>([
  ["outbound", ["istio.metadata_exchange", "http.grpc_stats", "istio.alpn", "http.fault", "http.cors", "http.router"]],
  ["gateway", ["istio.metadata_exchange", "http.grpc_stats", "istio.alpn", "http.fault", "http.cors", "http.router"]],
  ["inbound", ["istio.metadata_exchange", ...common]],
])("Istio's Envoy also gets Istio's filters: %s", (direction, names) => {
  expect(httpNames(direction, istio)).toEqual(names);
});

test("each extension adds only its own filter", () => {
  expect(httpNames("outbound", { ...stock, alpn: true })).toContain("istio.alpn");
  expect(httpNames("outbound", { ...stock, alpn: true })).not.toContain("istio.metadata_exchange");
});

test("gRPC-Web is enabled on ports that declare it", () => {
  expect(httpNames("outbound", stock, "GRPC-Web")).toEqual(["http.grpc_web", ...common]);
});

function firstFilter(direction: Direction) {
  const [first] = httpFiltersFor({ direction, capabilities: istio, protocol: "HTTP", ...told }, writer);
  return first === undefined ? undefined : decodedMessage(HttpFilterSchema, first);
}

test("a client discovers the upstream peer, a server the downstream peer", () => {
  const by = [{ istio_headers: {} }, { workload_discovery: {} }];
  expect(firstFilter("outbound")).toMatchObject({ typedConfig: { value: { upstream_discovery: by } } });
  expect(firstFilter("gateway")).toMatchObject({ typedConfig: { value: { upstream_discovery: by } } });
  expect(firstFilter("inbound")).toMatchObject({ typedConfig: { value: { downstream_discovery: by } } });
});

test.each<[Direction, number]>([
  ["inbound", 1],
  ["outbound", 0],
  ["gateway", 0],
])("network filters exchange metadata only inbound: %s", (direction, count) => {
  const filters = networkFiltersFor({ direction, carries: "tcp", capabilities: istio, ...around }, writer);
  expect(filters.map((bytes) => fromBinary(FilterSchema, bytes).name)).toHaveLength(count);
  expect(networkFiltersFor({ direction, carries: "tcp", capabilities: stock, ...around }, writer)).toEqual([]);
});

test("equal contexts share their filters", () => {
  const context = { direction: "outbound", capabilities: istio, protocol: "HTTP", ...told } as const;
  expect(httpFiltersFor({ ...context }, writer)).toBe(httpFiltersFor(context, writer));
});

test("a proxy may hide debug headers, and its identity outside the mesh", () => {
  const place = { direction: "outbound", capabilities: istio, protocol: "HTTP", ...around } as const;
  const filters = httpFiltersFor({ ...place, hidesDebug: true, hidesIdentityOutside: true }, writer);
  const read = filters.map((bytes) => decodedMessage(HttpFilterSchema, bytes));
  expect(read).toHaveLength(httpFilters("outbound", istio).length);
  expect(read.at(-1)).toMatchObject({ typedConfig: { suppressEnvoyHeaders: true } });
  expect(read[0]).toMatchObject({
    typedConfig: { value: { upstream_propagation: [{ istio_headers: { skip_external_clusters: true } }] } },
  });
});
