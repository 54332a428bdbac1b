import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { TrafficPolicies } from "../../pilot/model/policy/traffic-policies.ts";
import { extensionProvidersOf } from "../../pilot/registry/policy/extension-provider.ts";
import { fakeService } from "./fake-service.ts";
import { fakeTelemetry } from "./fake-telemetry.ts";
import { noPolicies } from "./no-policies.ts";

/** The hostname of the only service that `policiesWith` knows. */
const collector = "collector.ops";

/** The policies of a workload with one Telemetry, in a mesh with these extension providers and one collector. */
export function policiesWith(telemetry: JsonObject, extensionProviders: readonly JsonObject[]): TrafficPolicies {
  const mesh = fromJson(MeshConfigSchema, { extensionProviders: [...extensionProviders] });
  const service = fakeService({ hostname: collector });
  const providers = extensionProvidersOf(mesh, (hostname) => (hostname === collector ? [service] : []));
  return { ...noPolicies, telemetry: [fakeTelemetry(telemetry)], providers };
}
