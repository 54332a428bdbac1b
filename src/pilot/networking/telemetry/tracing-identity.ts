import { isAtLeast } from "../../model/proxy/istio-version.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";

/** The facts of a proxy that its traces depend on. */
export interface TracingIdentity {
  readonly canonicalRevision: string;
  readonly canonicalService: string;
  readonly clusterId: string;
  readonly meshId: string;
  readonly namespace: string;
  /** Undefined if no extension provider receives traces. */
  readonly tracer: TracerFacts | undefined;
}

/** The facts of a proxy that the configuration of a tracer depends on. */
export interface TracerFacts {
  /** The name of the workload in traces. */
  readonly serviceName: string;
  /** Its name after OpenTelemetry's conventions for Kubernetes. */
  readonly semanticName: string;
  /** Understands `collector_service` of Zipkin's tracer, and tags with operators. */
  readonly since129: boolean;
  /** Understands `trace_context_option` of Zipkin's tracer. */
  readonly since128: boolean;
  /** Understands `no_context_propagation`. */
  readonly since130: boolean;
}

/** Undefined if the mesh has no traces, so that identities do not prevent sharing of listeners. */
export function tracingIdentityOf(proxy: Proxy, { tracing, tracers }: MeshSettings): TracingIdentity | undefined {
  if (!tracing && !tracers) return undefined;
  const { labels, namespace, clusterId, meshId } = proxy;
  return {
    canonicalRevision: labels["service.istio.io/canonical-revision"] || "latest",
    canonicalService: labels["service.istio.io/canonical-name"] || "unknown",
    clusterId: clusterId || "unknown",
    meshId: meshId || "unknown",
    namespace: namespace || "default",
    tracer: tracers ? tracerFactsOf(proxy) : undefined,
  };
}

function tracerFactsOf(proxy: Proxy): TracerFacts {
  const version = proxy.metadata["ISTIO_VERSION"];
  return {
    serviceName: proxy.serviceCluster,
    semanticName: semanticNameOf(proxy),
    since128: isAtLeast(version, [1, 28]),
    since129: isAtLeast(version, [1, 29]),
    since130: isAtLeast(version, [1, 30]),
  };
}

/** The first that is set: two labels, the name of the workload, the name of the pod. */
function semanticNameOf({ labels, workloadName, id }: Proxy): string {
  const [pod = ""] = id.split(".", 1);
  const names = [labels["app.kubernetes.io/instance"], labels["app.kubernetes.io/name"], workloadName, pod];
  return names.find((name) => name !== undefined && name !== "") ?? "unknown_service";
}
