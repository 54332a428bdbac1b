import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { FilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { stockListenerClient } from "../../../testing/model/fake-listener-client.ts";
import { policiesWith } from "../../../testing/model/fake-policies.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { Direction } from "../filters/filter.ts";
import { networkStatsFilters, statsFilters } from "./stats-filters.ts";

const writer = new ProtoWriter();
const prometheus = { name: "mine", prometheus: {} };

function filtersOf(
  rule: JsonObject,
  { direction = "outbound", stats = true }: { readonly direction?: Direction; readonly stats?: boolean } = {},
) {
  const policies = policiesWith({ metrics: [rule] }, [prometheus, { name: "sd", stackdriver: {} }]);
  const mesh = { ...defaultMeshSettings, defaultProviders: { accessLogs: [], traces: [], metrics: ["mine", "sd"] } };
  const capabilities = { stats };
  return statsFilters({ direction, capabilities, mesh, policies }, writer).map((filter) =>
    decodedMessage(FilterSchema, writer.encode(FilterSchema, filter)),
  );
}

test("Istio's Envoy counts for Prometheus, with changed metrics", () => {
  const tagOverrides = { host: { value: "request.host" }, b: { operation: "REMOVE" }, a: { operation: "REMOVE" } };
  const overrides = [
    { match: { metric: "REQUEST_COUNT" }, tagOverrides },
    { match: { customMetric: "mine" }, disabled: true },
  ];
  expect(filtersOf({ overrides, reportingInterval: "5s" })).toEqual([
    {
      name: "istio.stats",
      typedConfig: {
        "@type": "type.googleapis.com/stats.PluginConfig",
        tcpReportingDuration: "5s",
        metrics: [
          { name: "requests_total", dimensions: { host: "request.host" }, tagsToRemove: ["a", "b"] },
          { name: "mine", drop: true },
        ],
      },
    },
  ]);
});

test.each<Direction>(["inbound", "gateway"])("hosts of requests are no names of services: %s", (direction) => {
  expect(filtersOf({}, { direction })).toMatchObject([{ typedConfig: { disableHostHeaderFallback: true } }]);
});

test("a proxy without the filter, and a side without metrics, get none", () => {
  expect(filtersOf({}, { stats: false })).toEqual([]);
  expect(filtersOf({ overrides: [{ disabled: true, match: { mode: "CLIENT" } }] })).toEqual([]);
  expect(filtersOf({ providers: [{ name: "sd" }] })).toEqual([]);
});

test("a chain of HTTP counts requests, not connections", () => {
  const capabilities = { ...stockListenerClient.capabilities, stats: true };
  const mesh = { ...defaultMeshSettings, defaultProviders: { accessLogs: [], traces: [], metrics: ["mine"] } };
  const context = { direction: "inbound", capabilities, mesh, policies: policiesWith({}, [prometheus]) } as const;
  expect(networkStatsFilters({ ...context, carries: "http" }, writer)).toEqual([]);
  expect(networkStatsFilters({ ...context, carries: "tcp" }, writer)).toHaveLength(1);
});
