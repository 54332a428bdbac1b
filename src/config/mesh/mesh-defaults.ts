import { type DescField, fromJson, isFieldSet, ScalarType } from "@bufbuild/protobuf";
import { type MeshConfig, MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { oncePer } from "../../lib/memo.ts";

/** Istio's default mesh configuration, as far as it affects proxies. */
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

/**
 * Fills in the default of each unset field of the mesh configuration. Every reader uses it, whatever the source. Files
 * get the defaults when they are read. A peer sends only the fields that it knows, and Galley 1.3.6 does not know
 * `proxyInboundListenPort`. A message cannot distinguish false from unset, so false stays. Only `enableTracing` is true
 * by default, and every Galley sends it.
 */
export const completeMesh = oncePer((mesh: MeshConfig): MeshConfig => {
  const defaults = meshDefaults();
  const isUnset = (field: DescField) => isFieldSet(defaults, field) && !isFieldSet(mesh, field) && !isPlainBool(field);
  const unset = MeshConfigSchema.fields
    .filter(isUnset)
    .map(({ localName }) => [localName, Reflect.get(defaults, localName)]);
  const named = new Set(mesh.extensionProviders.map(({ name }) => name));
  const extensionProviders = [
    ...mesh.extensionProviders,
    ...defaults.extensionProviders.filter(({ name }) => !named.has(name)),
  ];
  return { ...mesh, ...Object.fromEntries(unset), extensionProviders };
});

function isPlainBool(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL;
}
