import type { CoreObject } from "./core-object.ts";

const selector = { selector: { matchLabels: { app: "x" } } };
const log = { providers: [{ name: "envoy" }] };
const otel = { providers: [{ name: "otel" }] };

/** Extension providers of a MeshConfig. The service of `otel` comes and goes. */
export const telemetryProviders: readonly object[] = [
  { name: "otel", opentelemetry: { service: "one.a.svc.cluster.local", port: 80 } },
  { name: "als", envoyHttpAls: { service: "b/three.b.svc.cluster.local", port: 80 } },
];

/** Telemetry of two namespaces and of the mesh. The provider `envoy` is always there. */
export const telemetries: readonly CoreObject[] = ["a", "b", "istio-system"].map((namespace) => ({
  kind: "Telemetry",
  namespace,
  spec: { accessLogging: [log] },
  others: [
    { accessLogging: [{ ...log, disabled: true }] },
    { accessLogging: [{ ...log, filter: { expression: "true" } }] },
    { accessLogging: [{ ...log, match: { mode: "SERVER" } }] },
    { accessLogging: [{ providers: [{ name: "als" }] }] },
    { tracing: [{ ...otel, randomSamplingPercentage: 5 }] },
    { tracing: [{ ...otel, customTags: { a: { literal: { value: "b" } } } }] },
    { metrics: [{ providers: [{ name: "prometheus" }] }] },
    selector,
  ],
}));
