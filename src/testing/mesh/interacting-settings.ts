import fc from "fast-check";
import { authorizer } from "./authorization-edits.ts";
import { meshNetworks } from "./mesh-edits.ts";
import { telemetryProviders } from "./telemetry-edits.ts";
import type { WrittenObject } from "./written-objects.ts";

/** At first, all providers are there that other objects name. */
export const providers: WrittenObject = {
  apiVersion: "mesh.istio.io/v1alpha1",
  kind: "MeshConfig",
  metadata: { name: "mesh" },
  spec: { extensionProviders: [...telemetryProviders, authorizer] },
};

/** Seldom: both alter everything, and would hide what is forgotten otherwise. */
export const settings = fc.oneof(
  fc
    .constantFrom<object>(
      {},
      { rootNamespace: "b", extensionProviders: [authorizer] },
      { defaultServiceExportTo: ["."], extensionProviders: [authorizer] },
      { defaultVirtualServiceExportTo: ["."], extensionProviders: [authorizer] },
      { defaultDestinationRuleExportTo: ["a"] },
      { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" }, extensionProviders: [authorizer] },
      { enableAutoMtls: false, extensionProviders: [authorizer] },
      { proxyHttpPort: 15007, extensionProviders: [...telemetryProviders, authorizer] },
      { extensionProviders: [...telemetryProviders, authorizer] },
      {
        extensionProviders: [authorizer, ...telemetryProviders],
        defaultProviders: { tracing: ["otel"], accessLogging: ["als"] },
      },
    )
    .map((spec) => ({ apiVersion: "mesh.istio.io/v1alpha1", kind: "MeshConfig", metadata: { name: "mesh" }, spec })),
  meshNetworks.map((spec) => ({
    apiVersion: "mesh.istio.io/v1alpha1",
    kind: "MeshNetworks",
    metadata: { name: "networks" },
    spec,
  })),
);
