import type { Example } from "../proof.ts";
import { caller, countingWorkload, object, router, service, settings } from "./context.ts";

const collector = { service: "collector.shop.svc.cluster.local", port: 8080 };

const mesh = settings("MeshConfig", {
  defaultProviders: { metrics: ["counts"] },
  extensionProviders: [
    { name: "text", envoyFileAccessLog: { path: "/a.log" } },
    { name: "als", envoyHttpAls: collector },
    { name: "otel", opentelemetry: collector },
    { name: "counts", prometheus: {} },
    { name: "more", prometheus: {} },
  ],
});

const gateway = object(
  "Gateway",
  "edge",
  {
    selector: { istio: "ingressgateway" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
  },
  "istio-system",
);

function telemetry(spec: object): Example {
  return {
    subject: object("Telemetry", "a", spec),
    around: [mesh, service("reviews"), service("collector")],
    clients: [countingWorkload("reviews"), caller],
  };
}

const named = (...names: readonly string[]) => ({ providers: names.map((name) => ({ name })) });
const labelled = { "gateway.networking.k8s.io/gateway-name": "edge" };
const target = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" };

/** For a router of the Gateway API. */
function attached(spec: object): Example {
  return {
    subject: object("Telemetry", "a", { ...spec, accessLogging: [named("text")] }, "istio-system"),
    around: [mesh, gateway],
    clients: [{ proxy: { ...router.proxy, labels: { ...router.proxy.labels, ...labelled } } }],
  };
}

const reviews = { selector: { matchLabels: { app: "reviews" } } };

/** Where access logs, traces and metrics of Telemetry matter. */
export const telemetries: readonly Example[] = [
  telemetry({
    ...reviews,
    accessLogging: [
      { ...named("text"), filter: { expression: "true" }, match: { mode: "CLIENT" } },
      { ...named("als"), disabled: true },
    ],
  }),
  telemetry({
    ...reviews,
    tracing: [
      {
        ...named("otel"),
        randomSamplingPercentage: 5,
        disableSpanReporting: false,
        useRequestIdForTraceSampling: true,
        enableIstioTags: true,
        disableContextPropagation: true,
        match: { mode: "CLIENT" },
        customTags: {
          a: { literal: { value: "a" } },
          b: { environment: { name: "A", defaultValue: "b" } },
          c: { header: { name: "x-a", defaultValue: "b" } },
          d: { formatter: { value: "%REQ(x-a)%" } },
        },
      },
    ],
  }),
  telemetry({
    metrics: [
      {
        ...named("counts", "more"),
        reportingInterval: "5s",
        overrides: [
          {
            match: { metric: "REQUEST_COUNT", mode: "CLIENT" },
            disabled: true,
            tagOverrides: { a: { value: "b" }, c: { operation: "REMOVE" } },
          },
          { match: { customMetric: "a" }, disabled: true },
        ],
      },
    ],
  }),
  attached({ targetRef: target }),
  attached({ targetRefs: [target] }),
];
