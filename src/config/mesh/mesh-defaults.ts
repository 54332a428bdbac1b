import { type DescField, fromJson, isFieldSet, ScalarType } from "@bufbuild/protobuf";
import { type MeshConfig, MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { oncePer } from "../../lib/memo.ts";

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

/**
 * The mesh configuration with the default of each field that it leaves unset. For everybody who makes something of it,
 * whichever way it came: files are laid over the defaults when they are read, but a peer sends what it knows, and Galley
 * 1.3.6 knows no `proxyInboundListenPort`. A false that a message cannot tell from nothing stays: `enableTracing` alone
 * is true by default, and every Galley says it.
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
