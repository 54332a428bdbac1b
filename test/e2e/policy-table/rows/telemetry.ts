import type { JsonObject } from "@bufbuild/protobuf";
import { startGrpcCollector } from "../../support/collector/grpc-collector.ts";
import { accessLogFile, startHttpCollector } from "../../support/collector/http-collector.ts";
import type { Area } from "../row.ts";
import { accessLogGroups } from "./telemetry/access-log-groups.ts";
import { traceGroups } from "./telemetry/trace-groups.ts";

const grpc = { service: "grpc-collector.peers.svc.cluster.local", port: 17_070 };
const http = { service: "collector.peers.svc.cluster.local", port: 17_070 };

const providersWith = (path: string): readonly JsonObject[] => [
  {
    name: "table-text",
    envoyFileAccessLog: {
      path,
      logFormat: { text: "text %REQ(:METHOD)% %REQ(:PATH)% %RESPONSE_CODE%" },
    },
  },
  {
    name: "table-json",
    envoyFileAccessLog: { path, logFormat: { labels: { kind: "json", path: "%REQ(:PATH)%" } } },
  },
  {
    name: "table-http-als",
    envoyHttpAls: { ...grpc, logName: "table-http", additionalRequestHeadersToLog: ["x-seen"] },
  },
  { name: "table-tcp-als", envoyTcpAls: { ...grpc, logName: "table-tcp" } },
  {
    name: "table-otel-als",
    envoyOtelAls: {
      ...grpc,
      logFormat: {
        text: "otlp %REQ(:PATH)%",
        labels: { code: "%RESPONSE_CODE%", short: "%REQ_WITHOUT_QUERY(:PATH)%" },
      },
    },
  },
  { name: "table-otel", opentelemetry: grpc },
  {
    name: "table-otel-http",
    opentelemetry: { ...http, http: { path: "/v1/traces", timeout: "5s", headers: [{ name: "x-key", value: "abc" }] } },
  },
  { name: "table-zipkin", zipkin: { ...http, headers: [{ name: "x-key", value: "zip" }] } },
  { name: "table-datadog", datadog: http },
  { name: "table-skywalking", skywalking: grpc },
];

/** Access logs and traces arrive at real collectors. */
export const telemetry: Area = {
  groups: [...accessLogGroups, ...traceGroups],
  peers: { "grpc-collector": startGrpcCollector, collector: startHttpCollector },
  providers: ({ collector = 0 }) => providersWith(accessLogFile(collector)),
};
