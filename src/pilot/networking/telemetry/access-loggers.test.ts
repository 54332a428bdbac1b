import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AccessLogSchema } from "#gen/envoy/config/accesslog/v3/accesslog_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { policiesWith } from "../../../testing/model/fake-policies.ts";
import { defaultMeshSettings, type MeshSettings } from "../../model/mesh-settings.ts";
import { connectionLogs, requestLogs, unmatchedLogs } from "../listener/access-log.ts";

const writer = new ProtoWriter();
const service = { service: "collector.ops", port: 9001 };

function read(list: readonly Uint8Array[]) {
  return list.map((bytes) => decodedMessage(AccessLogSchema, bytes));
}

function logsOf(accessLogging: readonly JsonObject[], mesh: Partial<MeshSettings> = {}) {
  const policies = policiesWith({ accessLogging: [...accessLogging] }, [
    { name: "requests", envoyHttpAls: { ...service, additionalRequestHeadersToLog: ["x-a"] } },
    { name: "Connections", envoyTcpAls: { ...service, logName: "tcp", filterStateObjectsToLog: ["x"] } },
    {
      name: "otel",
      envoyOtelAls: {
        ...service,
        logFormat: { text: "%PROTOCOL%", labels: { b: "2", a: "%REQ_WITHOUT_QUERY(:PATH)%" } },
      },
    },
    { name: "lost", envoyHttpAls: { service: "unknown.ops", port: 1 } },
    { name: "dog", datadog: service },
  ]);
  const context = { direction: "inbound", mesh: { ...defaultMeshSettings, ...mesh }, policies } as const;
  return {
    requests: read(requestLogs(context, writer)),
    connections: read(connectionLogs(context, writer)),
    unmatched: read(unmatchedLogs(context, writer)),
  };
}

function named(...names: readonly string[]): JsonObject {
  return { providers: names.map((name) => ({ name })) };
}

const grpcService = { envoyGrpc: { clusterName: "outbound|9001||collector.ops", authority: "collector.ops" } };
const file = { path: "/log", format: { type: "text", text: "x\n" }, omitsEmpty: false } as const;

describe("access logs of Telemetry", () => {
  test("go to gRPC services in Envoy's own protocol", () => {
    expect(logsOf([named("requests", "connections")]).requests).toEqual([
      {
        name: "envoy.tcp_grpc_access_log",
        typedConfig: {
          "@type": "type.googleapis.com/envoy.extensions.access_loggers.grpc.v3.TcpGrpcAccessLogConfig",
          commonConfig: { logName: "tcp", grpcService, transportApiVersion: "V3", filterStateObjectsToLog: ["x"] },
        },
      },
      {
        name: "envoy.access_loggers.http_grpc",
        typedConfig: {
          "@type": "type.googleapis.com/envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig",
          commonConfig: {
            logName: "http_envoy_accesslog",
            grpcService,
            transportApiVersion: "V3",
            filterStateObjectsToLog: ["upstream_peer", "downstream_peer"],
          },
          additionalRequestHeadersToLog: ["x-a"],
        },
      },
    ]);
  });

  test("go to OpenTelemetry with a body, sorted attributes and their formatters", () => {
    expect(logsOf([named("otel")]).connections).toMatchObject([
      {
        name: "envoy.access_loggers.open_telemetry",
        typedConfig: {
          commonConfig: { logName: "otel_envoy_accesslog", grpcService, transportApiVersion: "V3" },
          disableBuiltinLabels: true,
          body: { stringValue: "%PROTOCOL%" },
          attributes: {
            values: [
              { key: "a", value: { stringValue: "%REQ_WITHOUT_QUERY(:PATH)%" } },
              { key: "b", value: { stringValue: "2" } },
            ],
          },
          formatters: [{ name: "envoy.formatter.req_without_query" }],
        },
      },
    ]);
  });

  test("are filtered by an expression; those of listeners also by the missing chain", () => {
    const { requests, unmatched } = logsOf([{ ...named("otel"), filter: { expression: "response.code > 399" } }]);
    const cel = {
      extensionFilter: {
        name: "envoy.access_loggers.extension_filters.cel",
        typedConfig: {
          "@type": "type.googleapis.com/envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter",
          expression: "response.code > 399",
        },
      },
    };
    expect(requests).toMatchObject([{ filter: cel }]);
    expect(unmatched).toMatchObject([
      { filter: { andFilter: { filters: [{ responseFlagFilter: { flags: ["NR"] } }, cel] } } },
    ]);
  });

  test.each(["lost", "dog", "absent"])("fall back to the MeshConfig's if the provider has none: %s", (name) => {
    expect(logsOf([named(name)], { accessLogs: [file] }).requests).toMatchObject([{ typedConfig: { path: "/log" } }]);
    expect(logsOf([named(name, "otel")], { accessLogs: [file] }).requests).toMatchObject([
      { name: "envoy.access_loggers.open_telemetry" },
    ]);
  });

  test("replace the MeshConfig's, even where a rule disables them", () => {
    expect(logsOf([{ ...named("otel"), disabled: true }], { accessLogs: [file] }).requests).toEqual([]);
  });
});

function common(logName: string) {
  return { commonConfig: { logName, grpcService: { envoyGrpc: { clusterName: "envoy_accesslog_service" } } } };
}

test("enableEnvoyAccessLogService adds loggers for the cluster in the bootstraps of proxies", () => {
  const { requests, connections, unmatched } = logsOf([], { accessLogs: [file], accessLogService: true });
  expect(requests).toMatchObject([
    { name: "envoy.access_loggers.file" },
    { name: "envoy.access_loggers.http_grpc", typedConfig: common("http_envoy_accesslog") },
  ]);
  expect(connections[1]).toMatchObject({
    name: "envoy.tcp_grpc_access_log",
    typedConfig: common("tcp_envoy_accesslog"),
  });
  expect(unmatched[1]).toMatchObject({
    filter: { responseFlagFilter: { flags: ["NR"] } },
    typedConfig: common("listener_envoy_accesslog"),
  });
});
