import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { HttpConnectionManager_TracingSchema as TracingSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../../testing/envoy/decoded-resource.ts";
import { policiesWith } from "../../../../testing/model/fake-policies.ts";
import { defaultMeshSettings, type MeshSettings } from "../../../model/mesh-settings.ts";
import { defaultProxySettings } from "../../../model/proxy/proxy-settings.ts";
import type { TracerFacts } from "../../telemetry/tracing-identity.ts";
import { type TracingContext, tracingOf } from "./tracing.ts";

const writer = new ProtoWriter();
const at = { service: "collector.ops", port: 4317 };
const cluster = "outbound|4317||collector.ops";
const grpcService = { envoyGrpc: { clusterName: cluster, authority: "collector.ops" } };
const current: TracerFacts = {
  serviceName: "web.shop",
  semanticName: "web",
  since128: true,
  since129: true,
  since130: true,
};

interface Case {
  readonly provider?: JsonObject;
  readonly rule?: JsonObject;
  readonly facts?: TracerFacts;
  readonly mesh?: Partial<MeshSettings>;
  readonly context?: Partial<TracingContext>;
}

function encodedTracing({ provider = { opentelemetry: at }, rule = {}, facts = current, mesh, context }: Case) {
  const tracing = [{ providers: [{ name: "p" }], ...rule }];
  const inputs: TracingContext = {
    direction: "outbound",
    identity: {
      canonicalRevision: "v1",
      canonicalService: "web",
      clusterId: "c",
      meshId: "m",
      namespace: "shop",
      tracer: facts,
    },
    settings: { ...defaultProxySettings.tracing, sampling: 7, maxPathTagLength: 99 },
    mesh: { ...defaultMeshSettings, ...mesh },
    policies: policiesWith({ tracing }, [{ name: "p", ...provider }]),
    ...context,
  };
  return tracingOf(inputs, writer);
}

function traced(one: Case): JsonObject | undefined {
  const { tracing } = encodedTracing(one);
  return tracing === undefined ? undefined : decodedMessage(TracingSchema, tracing);
}

function extension(one: Case): string {
  return Buffer.from(encodedTracing(one).requestIdExtension).toString("hex");
}

function configOf(provider: JsonObject, facts: TracerFacts = current) {
  return traced({ provider, facts })?.["provider"];
}

describe("the tracer of a proxy", () => {
  test("sends to OpenTelemetry over gRPC, with metadata", () => {
    const grpc = { timeout: "3s", initialMetadata: [{ name: "x-key", value: "k" }] };
    expect(configOf({ opentelemetry: { ...at, grpc } })).toEqual({
      name: "envoy.tracers.opentelemetry",
      typedConfig: {
        "@type": "type.googleapis.com/envoy.config.trace.v3.OpenTelemetryConfig",
        serviceName: "web.shop",
        grpcService: { ...grpcService, timeout: "3s", initialMetadata: [{ key: "x-key", value: "k" }] },
      },
    });
  });

  test.each([
    ["/v1/traces", "collector.ops/v1/traces"],
    ["v1//traces/", "collector.ops/v1/traces/"],
    ["a/../b/.", "collector.ops/b"],
    ["", "collector.ops"],
  ])("OpenTelemetry over HTTP, with headers and the path %j", (path, uri) => {
    const http = { path, timeout: "2s", headers: [{ name: "x-key", value: "k" }] };
    expect(configOf({ opentelemetry: { ...at, http } })).toMatchObject({
      typedConfig: {
        httpService: {
          httpUri: { uri, cluster, timeout: "2s" },
          requestHeadersToAdd: [{ header: { key: "x-key", value: "k" }, appendAction: "OVERWRITE_IF_EXISTS_OR_ADD" }],
        },
      },
    });
  });

  test("sends attributes from detectors to OpenTelemetry", () => {
    const resourceDetectors = { environment: {}, dynatrace: {} };
    const prefix = "envoy.tracers.opentelemetry.resource_detectors.";
    expect(configOf({ opentelemetry: { ...at, resourceDetectors } })).toMatchObject({
      typedConfig: { resourceDetectors: [{ name: `${prefix}environment` }, { name: `${prefix}dynatrace` }] },
    });
  });

  test("names its service by the conventions of OpenTelemetry, with attributes of the environment", () => {
    const serviceAttributeEnrichment = "OTEL_SEMANTIC_CONVENTIONS";
    expect(configOf({ opentelemetry: { ...at, serviceAttributeEnrichment } })).toMatchObject({
      typedConfig: {
        serviceName: "web",
        resourceDetectors: [{ name: "envoy.tracers.opentelemetry.resource_detectors.environment" }],
      },
    });
  });

  test("sends to Zipkin as an HTTP service if the proxy is new", () => {
    const zipkin = { ...at, enable64bitTraceId: true, traceContextOption: "USE_B3_WITH_W3C_PROPAGATION" };
    expect(configOf({ zipkin })).toEqual({
      name: "envoy.tracers.zipkin",
      typedConfig: {
        "@type": "type.googleapis.com/envoy.config.trace.v3.ZipkinConfig",
        sharedSpanContext: false,
        collectorEndpointVersion: "HTTP_JSON",
        collectorService: { httpUri: { uri: "http://collector.ops/api/v2/spans", cluster, timeout: "5s" } },
        traceContextOption: "USE_B3_WITH_W3C_PROPAGATION",
      },
    });
    const full = { ...at, path: "/spans", timeout: "1s", headers: [{ name: "a", value: "b" }] };
    expect(configOf({ zipkin: full })).toMatchObject({
      typedConfig: {
        traceId128bit: true,
        collectorService: {
          httpUri: { uri: "http://collector.ops/spans", timeout: "1s" },
          requestHeadersToAdd: [{ header: { key: "a", value: "b" } }],
        },
      },
    });
  });

  test("sends to Zipkin as a cluster if the proxy is older", () => {
    const zipkin = { ...at, traceContextOption: "USE_B3_WITH_W3C_PROPAGATION" };
    const old = { ...current, since128: false, since129: false };
    expect(configOf({ zipkin }, old)).toMatchObject({
      typedConfig: {
        collectorCluster: cluster,
        collectorEndpoint: "/api/v2/spans",
        collectorHostname: "collector.ops",
      },
    });
    expect(JSON.stringify(configOf({ zipkin }, old))).not.toContain("W3C");
  });

  test("sends to Datadog and SkyWalking", () => {
    expect(configOf({ datadog: at })).toMatchObject({
      name: "envoy.tracers.datadog",
      typedConfig: { collectorCluster: cluster, serviceName: "web.shop", collectorHostname: "collector.ops" },
    });
    expect(configOf({ skywalking: at })).toMatchObject({
      name: "envoy.tracers.skywalking",
      typedConfig: { grpcService },
    });
  });

  test.each<[string, JsonObject]>([
    ["is unknown", { zipkin: { service: "absent.ops", port: 1 } }],
    ["is of a removed type", { lightstep: at }],
    ["only logs", { envoyFileAccessLog: {} }],
  ])("nowhere if the provider %s", (_, provider) => {
    expect(traced({ provider })).toBeUndefined();
  });

  test("sends nothing if a rule disables traces or names no known provider", () => {
    expect(traced({ rule: { disableSpanReporting: true } })).toBeUndefined();
    expect(traced({ rule: { providers: [{ name: "absent" }] } })).toBeUndefined();
  });
});

describe("Dynatrace's sampler", () => {
  const dynatraceSampler = { tenant: "t", clusterId: 5, rootSpansPerMinute: 9 };
  const http = { path: "/otlp", headers: [{ name: "authorization", value: "Api-Token x" }] };

  test("asks the collector, and gets every request", () => {
    const tracing = traced({ provider: { opentelemetry: { ...at, http, dynatraceSampler } } });
    expect(tracing).toMatchObject({
      randomSampling: { value: 100 },
      provider: {
        typedConfig: {
          sampler: {
            name: "envoy.tracers.opentelemetry.samplers.dynatrace",
            typedConfig: {
              ...dynatraceSampler,
              httpService: {
                httpUri: { uri: "collector.ops/api/v2/samplingConfiguration", cluster },
                requestHeadersToAdd: [{ header: { key: "authorization" } }],
              },
            },
          },
        },
      },
    });
  });

  test("asks a service of its own", () => {
    const httpService = { service: "collector.ops", port: 80, http: { path: "/api" } };
    const sampler = { ...dynatraceSampler, httpService };
    expect(configOf({ opentelemetry: { ...at, dynatraceSampler: sampler } })).toMatchObject({
      typedConfig: {
        sampler: {
          typedConfig: {
            httpService: { httpUri: { uri: "collector.ops/api", cluster: "outbound|80||collector.ops" } },
          },
        },
      },
    });
  });

  test("without a service that speaks HTTP ends all traces", () => {
    expect(traced({ provider: { opentelemetry: { ...at, dynatraceSampler } } })).toBeUndefined();
    const lost = { ...dynatraceSampler, httpService: { service: "absent.ops", port: 1, http: {} } };
    expect(traced({ provider: { opentelemetry: { ...at, dynatraceSampler: lost } } })).toBeUndefined();
  });
});

describe("spans", () => {
  test("are of a share of requests: of the rule, else of the proxy settings", () => {
    expect(traced({ rule: { randomSamplingPercentage: 0 } })?.["randomSampling"]).toEqual({});
    expect(traced({ rule: { randomSamplingPercentage: 30 } })).toMatchObject({
      randomSampling: { value: 30 },
      clientSampling: { value: 100 },
      overallSampling: { value: 100 },
    });
    expect(traced({})).toMatchObject({ randomSampling: { value: 7 } });
  });

  test("have tags of the rule, else of the proxy settings, and tags about the workload unless disabled", () => {
    const customTags = {
      l: { literal: { value: "1" } },
      e: { environment: { name: "E", defaultValue: "none" } },
      h: { header: { name: "x-h", defaultValue: "none" } },
      f: { formatter: { value: "%PROTOCOL%" } },
    };
    const own = [
      { tag: "e", environment: { name: "E", defaultValue: "none" } },
      { tag: "f", value: "%PROTOCOL%" },
      { tag: "h", requestHeader: { name: "x-h", defaultValue: "none" } },
      { tag: "l", literal: { value: "1" } },
    ];
    expect(traced({ rule: { customTags, enableIstioTags: false } })?.["customTags"]).toEqual(own);
    expect(traced({ rule: { customTags } })?.["customTags"]).toHaveLength(4 + 9);
    const tags = [{ name: "z", type: "literal", value: "z" }] as const;
    const settings = { ...defaultProxySettings.tracing, tags };
    expect(traced({ rule: { enableIstioTags: false }, context: { settings } })?.["customTags"]).toEqual([
      { tag: "z", literal: { value: "z" } },
    ]);
    const old = { ...current, since129: false };
    expect(traced({ rule: { customTags, enableIstioTags: false }, facts: old })?.["customTags"]).toHaveLength(3);
  });

  test("have paths as long as the provider sets, else the proxy settings", () => {
    expect(traced({ provider: { opentelemetry: { ...at, maxTagLength: 32 } } })).toMatchObject({
      maxPathTagLength: 32,
    });
    expect(traced({ provider: { skywalking: at } })).toMatchObject({ maxPathTagLength: 99 });
  });

  test("of gateways and for SkyWalking have a child per attempt", () => {
    expect(traced({})).not.toHaveProperty("spawnUpstreamSpan");
    expect(traced({ context: { direction: "gateway" } })).toMatchObject({ spawnUpstreamSpan: true });
    expect(traced({ provider: { skywalking: at } })).toMatchObject({ spawnUpstreamSpan: true });
  });

  test("stay unknown to servers where a rule hides them, at proxies that can", () => {
    const rule = { disableContextPropagation: true };
    expect(traced({ rule })).toMatchObject({ noContextPropagation: true });
    expect(traced({ rule, facts: { ...current, since130: false } })).not.toHaveProperty("noContextPropagation");
  });

  test("do not depend on request ids where a rule says so", () => {
    const byId = extension({});
    const rule = { useRequestIdForTraceSampling: false };
    expect(extension({ rule })).not.toBe(byId);
    expect(extension({ rule: { ...rule, disableSpanReporting: true } })).toBe(byId);
  });
});

describe("without Telemetry", () => {
  const policies = policiesWith({}, []);

  test("proxies trace as their settings say, to the destination of their bootstraps", () => {
    expect(traced({ context: { policies } })).toMatchObject({
      randomSampling: { value: 7 },
      maxPathTagLength: 99,
      customTags: { length: 9 },
    });
    expect(traced({ context: { policies } })).not.toHaveProperty("provider");
    const settings = { ...defaultProxySettings.tracing, istioTags: false };
    expect(traced({ context: { policies, settings } })).not.toHaveProperty("customTags");
  });

  test("proxies do not trace if the mesh disables it", () => {
    expect(traced({ context: { policies }, mesh: { tracing: false } })).toBeUndefined();
    expect(traced({ mesh: { tracing: false } })).toHaveProperty("provider");
  });
});
