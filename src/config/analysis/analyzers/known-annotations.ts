/** The kinds on which Istio reads an annotation. `Any` is every kind. */
export interface KnownAnnotation {
  readonly on: readonly string[];
  readonly deprecated?: true;
  /** The replacement of a deprecated annotation. */
  readonly instead?: string;
}

const pod: KnownAnnotation = { on: ["Pod"] };
const deprecatedPod: KnownAnnotation = { on: ["Pod"], deprecated: true };
const deprecatedService: KnownAnnotation = { on: ["Service"], deprecated: true };
const workloadEntry: KnownAnnotation = { on: ["WorkloadEntry"] };
const kubernetesGateway: KnownAnnotation = { on: ["Gateway"] };
const any: KnownAnnotation = { on: ["Any"] };

/** Istio's annotations, as of its API of mid-2026. */
export const knownAnnotations: ReadonlyMap<string, KnownAnnotation> = new Map([
  ["alpha.istio.io/canonical-serviceaccounts", deprecatedService],
  ["alpha.istio.io/kubernetes-serviceaccounts", deprecatedService],
  ["ambient.istio.io/bypass-inbound-capture", pod],
  ["ambient.istio.io/dns-capture", pod],
  ["ambient.istio.io/redirection", pod],
  ["ambient.istio.io/waypoint-inbound-binding", { on: ["GatewayClass", "Gateway"] }],
  ["galley.istio.io/analyze-suppress", any],
  ["gateway.istio.io/controller-version", any],
  ["gateway.istio.io/name-override", kubernetesGateway],
  ["gateway.istio.io/service-account", kubernetesGateway],
  ["inject.istio.io/templates", pod],
  ["istio.io/autoRegistrationGroup", workloadEntry],
  ["istio.io/connectedAt", workloadEntry],
  ["istio.io/disconnectedAt", workloadEntry],
  ["istio.io/dry-run", { on: ["AuthorizationPolicy"] }],
  ["istio.io/reroute-virtual-interfaces", pod],
  ["istio.io/rev", pod],
  ["istio.io/use-waypoint-canary-weight", { on: ["Service", "ServiceEntry", "Namespace"] }],
  ["istio.io/workloadController", workloadEntry],
  ["kubernetes.io/ingress.class", { on: ["Ingress"] }],
  ["networking.istio.io/exportTo", { on: ["Service"] }],
  ["networking.istio.io/service-type", kubernetesGateway],
  ["networking.istio.io/traffic-distribution", { on: ["Namespace", "Service", "ServiceEntry"] }],
  ["prometheus.istio.io/merge-metrics", pod],
  ["proxy.istio.io/config", pod],
  ["proxy.istio.io/overrides", pod],
  ["readiness.status.sidecar.istio.io/applicationPorts", pod],
  ["readiness.status.sidecar.istio.io/failureThreshold", pod],
  ["readiness.status.sidecar.istio.io/initialDelaySeconds", pod],
  ["readiness.status.sidecar.istio.io/periodSeconds", pod],
  ["sidecar.istio.io/agentLogLevel", pod],
  ["sidecar.istio.io/bootstrapOverride", pod],
  ["sidecar.istio.io/componentLogLevel", pod],
  ["sidecar.istio.io/discoveryAddress", deprecatedPod],
  ["sidecar.istio.io/extraStatTags", deprecatedPod],
  ["sidecar.istio.io/inject", { ...deprecatedPod, instead: "use the label of the same name" }],
  ["sidecar.istio.io/interceptionMode", pod],
  ["sidecar.istio.io/logLevel", pod],
  ["sidecar.istio.io/nativeSidecar", pod],
  ["sidecar.istio.io/proxyCPU", pod],
  ["sidecar.istio.io/proxyCPULimit", pod],
  ["sidecar.istio.io/proxyImage", pod],
  ["sidecar.istio.io/proxyImageType", pod],
  ["sidecar.istio.io/proxyMemory", pod],
  ["sidecar.istio.io/proxyMemoryLimit", pod],
  ["sidecar.istio.io/rewriteAppHTTPProbers", pod],
  ["sidecar.istio.io/statsCompression", deprecatedPod],
  ["sidecar.istio.io/statsEvictionInterval", pod],
  ["sidecar.istio.io/statsFlushInterval", pod],
  ["sidecar.istio.io/statsHistogramBins", pod],
  ["sidecar.istio.io/statsHistogramBuckets", pod],
  ["sidecar.istio.io/statsInclusionPrefixes", deprecatedPod],
  ["sidecar.istio.io/statsInclusionRegexps", deprecatedPod],
  ["sidecar.istio.io/statsInclusionSuffixes", deprecatedPod],
  ["sidecar.istio.io/status", pod],
  ["sidecar.istio.io/userVolume", pod],
  ["sidecar.istio.io/userVolumeMount", pod],
  ["status.sidecar.istio.io/port", pod],
  ["topology.istio.io/controlPlaneClusters", { on: ["Namespace"] }],
  ["traffic.istio.io/nodeSelector", { on: ["Service"] }],
  ["traffic.sidecar.istio.io/excludeInboundPorts", pod],
  ["traffic.sidecar.istio.io/excludeInterfaces", pod],
  ["traffic.sidecar.istio.io/excludeOutboundIPRanges", pod],
  ["traffic.sidecar.istio.io/excludeOutboundPorts", pod],
  ["traffic.sidecar.istio.io/includeInboundPorts", pod],
  ["traffic.sidecar.istio.io/includeOutboundIPRanges", pod],
  ["traffic.sidecar.istio.io/includeOutboundPorts", pod],
  [
    "traffic.sidecar.istio.io/kubevirtInterfaces",
    { ...deprecatedPod, instead: "use istio.io/reroute-virtual-interfaces" },
  ],
]);
