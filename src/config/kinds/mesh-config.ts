import { type MeshConfig, MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { errorUnless, type Finding } from "../finding.ts";
import { durationMs } from "../grammar/duration.ts";
import type { Kind } from "../kind.ts";
import { meshDefaults } from "../mesh/mesh-defaults.ts";
import { optionalPortNumber } from "../rules/port.ts";
import { connectionPool } from "./destination-rule/connection-pool.ts";
import { localitySetting } from "./destination-rule/locality.ts";
import { outlierDetection } from "./destination-rule/outlier-detection.ts";
import { proxyConfig } from "./mesh-config/proxy-config.ts";
import { retryPolicy } from "./virtual-service/retry.ts";

export const meshConfig: Kind<typeof MeshConfigSchema> = {
  kind: "MeshConfig",
  group: "mesh.istio.io",
  versions: ["v1alpha1"],
  plural: "meshconfigs",
  scope: "cluster",
  collection: "istio/mesh/v1alpha1/MeshConfig",
  schema: MeshConfigSchema,
  defaults: meshDefaults,
  validate: ({ spec }) => [
    ...optionalPortNumber(spec.proxyListenPort, "spec.proxyListenPort"),
    ...optionalPortNumber(spec.proxyInboundListenPort, "spec.proxyInboundListenPort"),
    ...optionalPortNumber(spec.proxyHttpPort, "spec.proxyHttpPort"),
    ...connectTimeout(spec),
    ...detectionTimeout(spec),
    ...proxyConfig(spec.defaultConfig, "spec.defaultConfig"),
    ...localitySetting(spec.localityLbSetting, "spec.localityLbSetting"),
    ...retryPolicy(spec.defaultHttpRetryPolicy, "spec.defaultHttpRetryPolicy"),
    ...connectionPool(spec.defaultTrafficPolicy?.connectionPool, "spec.defaultTrafficPolicy.connectionPool"),
    ...outlierDetection(spec.defaultTrafficPolicy?.outlierDetection, "spec.defaultTrafficPolicy.outlierDetection"),
  ],
};

function connectTimeout({ connectTimeout }: MeshConfig): readonly Finding[] {
  const ms = connectTimeout === undefined ? 1 : durationMs(connectTimeout);
  return errorUnless(ms >= 1 && ms <= 30_000, "spec.connectTimeout", {
    code: "bad-duration",
    message: `expected 1ms to 30s, found ${ms}ms`,
  });
}

/** Zero switches the timeout off. */
function detectionTimeout({ protocolDetectionTimeout }: MeshConfig): readonly Finding[] {
  const ms = protocolDetectionTimeout === undefined ? 0 : durationMs(protocolDetectionTimeout);
  return errorUnless(ms >= 0 && Number.isInteger(ms), "spec.protocolDetectionTimeout", {
    code: "bad-duration",
    message: `expected whole milliseconds, found ${ms}ms`,
  });
}
