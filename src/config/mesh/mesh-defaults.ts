import { fromJson } from "@bufbuild/protobuf";
import { type MeshConfig, MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";

/** What holds for a mesh whose owner says nothing: Istio's defaults, as far as they shape what proxies get. */
export function meshDefaults(): MeshConfig {
  return fromJson(MeshConfigSchema, {
    proxyListenPort: 15001,
    proxyInboundListenPort: 15006,
    connectTimeout: "10s",
    protocolDetectionTimeout: "0s",
    dnsRefreshRate: "60s",
    outboundTrafficPolicy: { mode: "ALLOW_ANY" },
    inboundTrafficPolicy: { mode: "PASSTHROUGH" },
    enableAutoMtls: true,
    enableTracing: true,
    trustDomain: "cluster.local",
    rootNamespace: "istio-system",
    localityLbSetting: { enabled: true },
    defaultServiceExportTo: ["*"],
    defaultVirtualServiceExportTo: ["*"],
    defaultDestinationRuleExportTo: ["*"],
    ingressService: "istio-ingressgateway",
    ingressClass: "istio",
    ingressControllerMode: "STRICT",
    extensionProviders: [
      { name: "prometheus", prometheus: {} },
      { name: "stackdriver", stackdriver: {} },
      { name: "envoy", envoyFileAccessLog: { path: "/dev/stdout" } },
    ],
  });
}
