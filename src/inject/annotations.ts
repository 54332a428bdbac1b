import { ownValue } from "../lib/own-value.ts";
import {
  type AnnotationCheck,
  amount,
  boolean,
  count,
  interfaces,
  jsonOfMappings,
  mode,
  port,
  ports,
  portsOrAll,
  ranges,
  rangesOrAll,
  word,
} from "./annotation-checks.ts";
import type { Texts } from "./pod.ts";

/** An annotation of pods that Istio documents. */
interface KnownAnnotation {
  readonly name: string;
  /** The reader of the annotation: the injection, or the agent in the pod, by a mounted file. */
  readonly by: "injection" | "agent" | "nobody";
  /** The effect, or the reason why there is none. */
  readonly doc: string;
  readonly check?: AnnotationCheck;
}

function injected(name: string, doc: string, check?: AnnotationCheck): KnownAnnotation {
  return { name, by: "injection", doc, ...(check !== undefined && { check }) };
}

function ofAgent(name: string, doc: string): KnownAnnotation {
  return { name, by: "agent", doc };
}

function ofAmbient(name: string): KnownAnnotation {
  return { name, by: "nobody", doc: "Ambient mode, which Binnacle does not serve." };
}

/** Every annotation of pods in Istio's reference, in alphabetical order. */
export const knownAnnotations: readonly KnownAnnotation[] = [
  ofAmbient("ambient.istio.io/bypass-inbound-capture"),
  ofAmbient("ambient.istio.io/dns-capture"),
  ofAmbient("ambient.istio.io/redirection"),
  injected("inject.istio.io/templates", "Templates to apply, separated by commas: `sidecar` (the default), `gateway`."),
  injected(
    "istio.io/reroute-virtual-interfaces",
    "Virtual interfaces whose inbound traffic counts as outbound.",
    interfaces,
  ),
  injected("istio.io/rev", "Written: the revision that injected the pod."),
  injected("prometheus.istio.io/merge-metrics", "Merges the application's metrics with those of the proxy.", boolean),
  injected("proxy.istio.io/config", "ProxyConfig of this pod, over that of the mesh. YAML."),
  injected(
    "proxy.istio.io/overrides",
    "Written: the user's own fields of injected containers, for the next injection.",
  ),
  {
    name: "readiness.status.sidecar.istio.io/applicationPorts",
    by: "nobody",
    doc: "Agents since Istio 1.1 do not read it.",
  },
  injected(
    "readiness.status.sidecar.istio.io/failureThreshold",
    "Failure threshold of the proxy's readiness probe.",
    count,
  ),
  injected(
    "readiness.status.sidecar.istio.io/initialDelaySeconds",
    "Initial delay of the proxy's readiness probe.",
    count,
  ),
  injected("readiness.status.sidecar.istio.io/periodSeconds", "Period of the proxy's readiness probe.", count),
  injected("sidecar.istio.io/agentLogLevel", "Log level of the agent and of the init container.", word),
  injected("sidecar.istio.io/bootstrapOverride", "ConfigMap with a bootstrap of Envoy to use instead.", word),
  injected("sidecar.istio.io/capNetBindService", "Lets the proxy listen on ports below 1024.", boolean),
  injected("sidecar.istio.io/componentLogLevel", "Log levels of components of Envoy.", word),
  {
    name: "sidecar.istio.io/discoveryAddress",
    by: "nobody",
    doc: "Deprecated in Istio, without effect there too: use `discoveryAddress` in `proxy.istio.io/config`.",
  },
  ofAgent("sidecar.istio.io/extraStatTags", "Additional tags of Envoy's metrics."),
  injected("sidecar.istio.io/inject", "Injects the pod, or not. A label of the same name takes precedence."),
  injected("sidecar.istio.io/interceptionMode", "How traffic reaches the proxy: REDIRECT, TPROXY or NONE.", mode),
  injected("sidecar.istio.io/logLevel", "Log level of Envoy.", word),
  injected(
    "sidecar.istio.io/nativeSidecar",
    "Runs the proxy as a native sidecar: an init container that keeps running.",
    boolean,
  ),
  injected(
    "sidecar.istio.io/proxyCPU",
    "Requested CPU of the proxy. Any of the four resource annotations replaces all defaults.",
    amount,
  ),
  injected("sidecar.istio.io/proxyCPULimit", "CPU limit of the proxy.", amount),
  injected("sidecar.istio.io/proxyImage", "Image of the proxy and of the init container. Needs a slash.", word),
  injected("sidecar.istio.io/proxyImageType", "Type of the image: `default`, `distroless` or `debug`.", word),
  injected("sidecar.istio.io/proxyMemory", "Requested memory of the proxy.", amount),
  injected("sidecar.istio.io/proxyMemoryLimit", "Memory limit of the proxy.", amount),
  injected("sidecar.istio.io/rewriteAppHTTPProbers", "Lets the agent answer the application's probes.", boolean),
  ofAgent("sidecar.istio.io/statsCompression", "Compresses the responses of the metrics port."),
  ofAgent("sidecar.istio.io/statsEvictionInterval", "Interval after which unused metrics disappear."),
  ofAgent("sidecar.istio.io/statsFlushInterval", "Interval at which Envoy flushes metrics."),
  ofAgent("sidecar.istio.io/statsHistogramBins", "Number of histogram bins."),
  ofAgent("sidecar.istio.io/statsHistogramBuckets", "Buckets of histograms."),
  ofAgent("sidecar.istio.io/statsInclusionPrefixes", "Prefixes of the metrics that Envoy keeps."),
  ofAgent("sidecar.istio.io/statsInclusionRegexps", "Regular expressions for the metrics that Envoy keeps."),
  ofAgent("sidecar.istio.io/statsInclusionSuffixes", "Suffixes of the metrics that Envoy keeps."),
  injected("sidecar.istio.io/status", "Written: the names of the injected parts."),
  injected("sidecar.istio.io/userVolume", "Volumes to add: a JSON object from name to volume.", jsonOfMappings),
  injected(
    "sidecar.istio.io/userVolumeMount",
    "Volume mounts of the proxy: a JSON object from name to mount.",
    jsonOfMappings,
  ),
  injected("status.sidecar.istio.io/port", "Port of the agent's probes and metrics. 0 switches both off.", port),
  injected("traffic.sidecar.istio.io/excludeInboundPorts", "Inbound ports that are not redirected.", ports),
  injected(
    "traffic.sidecar.istio.io/excludeInterfaces",
    "Network interfaces whose traffic is not redirected.",
    interfaces,
  ),
  injected("traffic.sidecar.istio.io/excludeOutboundIPRanges", "Destinations that are not redirected.", ranges),
  injected("traffic.sidecar.istio.io/excludeOutboundPorts", "Outbound ports that are not redirected.", ports),
  injected(
    "traffic.sidecar.istio.io/includeInboundPorts",
    "Inbound ports that are redirected, or `*` for all.",
    portsOrAll,
  ),
  injected(
    "traffic.sidecar.istio.io/includeOutboundIPRanges",
    "Destinations that are redirected, or `*` for all.",
    rangesOrAll,
  ),
  injected(
    "traffic.sidecar.istio.io/includeOutboundPorts",
    "Outbound ports that are redirected, whatever the destination.",
    portsOrAll,
  ),
  injected(
    "traffic.sidecar.istio.io/kubevirtInterfaces",
    "Older name of `istio.io/reroute-virtual-interfaces`.",
    interfaces,
  ),
];

/** The mistakes in a pod's annotations, each with the name. */
export function annotationProblems(annotations: Texts): readonly string[] {
  return knownAnnotations.flatMap(({ name, check }) => {
    const value = ownValue(annotations, name);
    const problem = value === undefined ? undefined : check?.(value);
    return problem === undefined ? [] : [`annotation ${name}: ${problem}`];
  });
}
