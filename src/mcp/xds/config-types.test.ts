import { describe, expect, test } from "vitest";
import { configType, configTypes, typeUrlsOf } from "./config-types.ts";

/** The types that istiod 1.29 requests, and those that 1.30 added. */
const asked = [
  "core/v1alpha1/MeshConfig",
  "security.istio.io/v1/AuthorizationPolicy",
  "networking.istio.io/v1/DestinationRule",
  "networking.istio.io/v1alpha3/EnvoyFilter",
  "networking.istio.io/v1/Gateway",
  "security.istio.io/v1/PeerAuthentication",
  "networking.istio.io/v1beta1/ProxyConfig",
  "security.istio.io/v1/RequestAuthentication",
  "networking.istio.io/v1/ServiceEntry",
  "networking.istio.io/v1/Sidecar",
  "telemetry.istio.io/v1/Telemetry",
  "networking.istio.io/v1/VirtualService",
  "extensions.istio.io/v1alpha1/WasmPlugin",
  "networking.istio.io/v1/WorkloadEntry",
  "networking.istio.io/v1/WorkloadGroup",
  "extensions.istio.io/v1alpha1/TrafficExtension",
];

function body(typeUrl: string): string | undefined {
  return configType(typeUrl)?.collection.body.typeUrl;
}

describe("the types of MCP over xDS", () => {
  test.each(asked)("have %s", (typeUrl) => {
    const kind = typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
    expect(configType(typeUrl)?.collection.kind.kind).toBe(kind);
  });

  test("have one collection for all versions of a kind, the preferred one first", () => {
    const collection = configType("networking.istio.io/v1alpha3/Gateway")?.collection;
    expect(collection?.name).toBe("istio/networking/v1alpha3/gateways");
    expect(collection && typeUrlsOf(collection)).toEqual([
      "networking.istio.io/v1/Gateway",
      "networking.istio.io/v1beta1/Gateway",
      "networking.istio.io/v1alpha3/Gateway",
    ]);
  });

  test("keep the message of a kind, whatever its version", () => {
    expect(body("networking.istio.io/v1/Sidecar")).toBe("type.googleapis.com/istio.networking.v1alpha3.Sidecar");
    expect(body("security.istio.io/v1/AuthorizationPolicy")).toBe(
      "type.googleapis.com/istio.security.v1beta1.AuthorizationPolicy",
    );
    expect(body("telemetry.istio.io/v1/Telemetry")).toBe("type.googleapis.com/istio.telemetry.v1alpha1.Telemetry");
  });

  test("contain our own collections by name", () => {
    expect(configType("binnacle/services")?.collection.name).toBe("binnacle/services");
    expect(configType("istio/networking/v1alpha3/synthetic/serviceentries")).toBeDefined();
  });

  test("have distinct URLs", () => {
    expect(new Set(configTypes.map(({ typeUrl }) => typeUrl)).size).toBe(configTypes.length);
    expect(configType("example.com/v1/Unheard")).toBeUndefined();
  });
});
