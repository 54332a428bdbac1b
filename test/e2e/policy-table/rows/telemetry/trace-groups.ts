import type { CollectedSpan } from "../../../support/collector/spans.ts";
import { type Evidence, type Group, group } from "../../row.ts";
import { arrived, equals, grpcCollector, httpCollector, lacks, matches, named, seen, telemetry } from "./evidence.ts";

const tags = {
  customTags: {
    fixed: { literal: { value: "literal" } },
    tenant: { header: { name: "x-tenant", defaultValue: "nobody" } },
    variable: { environment: { name: "BINNACLE_NO_SUCH_VARIABLE", defaultValue: "unset" } },
    path: { formatter: { value: "%REQ(:PATH)%" } },
  },
};
const all = { randomSamplingPercentage: 100 };
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";

function spanFor(path: string, spans: () => readonly CollectedSpan[]): Promise<CollectedSpan> {
  return arrived(`a span for ${path}`, spans, (span) => span.tags["path"] === path);
}

function otlpSpan(path: string, evidence: Evidence): Promise<CollectedSpan> {
  return spanFor(path, () => grpcCollector(evidence).spans);
}

function zipkinSpan(path: string, evidence: Evidence): Promise<CollectedSpan> {
  return spanFor(path, () => httpCollector(evidence).zipkin);
}

export const traceGroups: readonly Group[] = [
  group(
    "traces to OpenTelemetry",
    [telemetry("traces", { tracing: [{ ...named("table-otel"), ...all, ...tags }] })],
    [
      seen(
        "have tags of the rule and of the workload",
        "/trace/1",
        async (evidence) => {
          const { tags: found, resource } = await otlpSpan("/trace/1", evidence);
          matches(found, { fixed: "literal", tenant: "acme", variable: "unset" });
          matches(found, {
            "istio.namespace": "traces-to-opentelemetry",
            "istio.cluster_id": "Kubernetes",
          });
          matches(resource, { "service.name": "test" });
        },
        { "x-tenant": "acme" },
      ),
      seen(
        "continue the trace of the caller",
        "/trace/2",
        async (evidence) => {
          matches(await otlpSpan("/trace/2", evidence), { traceId, parentId, tags: { tenant: "nobody" } });
        },
        { traceparent: `00-${traceId}-${parentId}-01` },
      ),
      seen("leave out a trace that the caller does not sample", "/trace/3", undefined, {
        traceparent: `00-${traceId}-${parentId}-00`,
      }),
      seen("have no span for that request", "/trace/4", async (evidence) => {
        await otlpSpan("/trace/4", evidence);
        lacks(
          grpcCollector(evidence).spans.map((span) => span.tags["path"]),
          "/trace/3",
        );
      }),
    ],
  ),
  group(
    "traces without tags of Istio",
    [telemetry("traces", { tracing: [{ ...named("table-otel"), ...all, ...tags, enableIstioTags: false }] })],
    [
      seen("have only the others", "/bare/1", async (evidence) => {
        const { tags: found } = await otlpSpan("/bare/1", evidence);
        equals(
          Object.keys(found).filter((tag) => tag.startsWith("istio.")),
          [],
        );
      }),
    ],
  ),
  group(
    "traces over HTTP",
    [telemetry("traces", { tracing: [{ ...named("table-otel-http"), ...all, ...tags }] })],
    [
      seen("arrive with the headers of the provider", "/http/1", async (evidence) => {
        await spanFor("/http/1", () => httpCollector(evidence).otlp);
        const found = httpCollector(evidence).exports.find(({ path }) => path === "/v1/traces");
        matches(found?.headers, { "x-key": "abc", host: "collector.peers.svc.cluster.local" });
      }),
    ],
  ),
  group(
    "traces to Zipkin",
    [telemetry("traces", { tracing: [{ ...named("table-zipkin"), ...all, ...tags }] })],
    [
      seen("have long trace ids and the headers of the provider", "/zipkin/1", async (evidence) => {
        const span = await zipkinSpan("/zipkin/1", evidence);
        equals(span.traceId.length, 32);
        matches(span.tags, { fixed: "literal" });
        const found = httpCollector(evidence).exports.find(({ path }) => path === "/api/v2/spans");
        matches(found?.headers, { "x-key": "zip" });
      }),
      seen(
        "continue the trace of the caller",
        "/zipkin/2",
        async (evidence) => {
          equals((await zipkinSpan("/zipkin/2", evidence)).traceId, traceId);
        },
        { "x-b3-traceid": traceId, "x-b3-spanid": parentId, "x-b3-sampled": "1" },
      ),
    ],
  ),
  group(
    "traces to Datadog",
    [telemetry("traces", { tracing: [{ ...named("table-datadog"), ...all, ...tags }] })],
    [
      seen("name the path", "/datadog/1", async (evidence) => {
        await arrived(
          "a trace",
          () => httpCollector(evidence).datadog,
          (bytes) => bytes.includes("/datadog/1"),
        );
      }),
    ],
  ),
  group(
    "traces to SkyWalking",
    [telemetry("traces", { tracing: [{ ...named("table-skywalking"), ...all }] })],
    [
      seen("name the path", "/skywalking/1", async (evidence) => {
        await arrived(
          "a segment",
          () => grpcCollector(evidence).segments,
          (bytes) => bytes.includes("/skywalking/1"),
        );
      }),
    ],
  ),
  group(
    "traces of no request",
    [telemetry("traces", { tracing: [{ ...named("table-otel"), ...tags, randomSamplingPercentage: 0 }] })],
    [seen("leave out a request", "/unsampled/1", undefined)],
  ),
  group(
    "traces that a rule disables",
    [telemetry("traces", { tracing: [{ ...named("table-otel"), ...all, ...tags, disableSpanReporting: true }] })],
    [seen("leave out a request", "/silent/1", undefined)],
  ),
  group(
    "traces of servers",
    [
      telemetry("traces", {
        tracing: [
          { ...named("table-otel"), ...all, ...tags },
          { match: { mode: "CLIENT" }, disableSpanReporting: true },
        ],
      }),
    ],
    [
      seen("have a span where others have none", "/server/1", async (evidence) => {
        await otlpSpan("/server/1", evidence);
        const paths = grpcCollector(evidence).spans.map((span) => span.tags["path"]);
        equals(
          paths.filter((path) => path === "/unsampled/1" || path === "/silent/1"),
          [],
        );
      }),
    ],
  ),
];
