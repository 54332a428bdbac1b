import { type MeshConfig, MeshConfig_AccessLogEncoding, MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { parseJson } from "../../lib/parse-json.ts";
import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";
import { durationToMs } from "../grammar/duration.ts";
import type { Kind } from "../kind.ts";
import { meshDefaults } from "../mesh/mesh-defaults.ts";
import { envoyDuration, positiveDuration } from "../rules/amount.ts";
import { ecdhCurves } from "../rules/ecdh-curves.ts";
import { commandOperators } from "../rules/headers.ts";
import { optionalPortNumber } from "../rules/port.ts";
import { connectionPool, tcpKeepalive } from "./destination-rule/connection-pool.ts";
import { localitySetting, zoneAwareSetting } from "./destination-rule/locality.ts";
import { outlierDetection } from "./destination-rule/outlier-detection.ts";
import { defaultProxyConfig } from "./mesh-config/default-proxy-config.ts";
import { extAuthzProvider } from "./mesh-config/ext-authz-provider.ts";
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
    ...envoyDuration(spec.protocolDetectionTimeout, "spec.protocolDetectionTimeout"),
    ...dnsRefreshRate(spec),
    ...tcpKeepalive(spec.tcpKeepalive, "spec.tcpKeepalive"),
    ...ecdhCurves(spec.tlsDefaults?.ecdhCurves ?? [], "spec.tlsDefaults.ecdhCurves"),
    ...ecdhCurves(spec.meshMTLS?.ecdhCurves ?? [], "spec.meshMTLS.ecdhCurves"),
    ...accessLogs(spec),
    ...spec.extensionProviders.flatMap((provider, index) =>
      extAuthzProvider(provider, fieldPath("spec.extensionProviders", index)),
    ),
    ...defaultProxyConfig(spec.defaultConfig, "spec.defaultConfig"),
    ...localitySetting(spec.localityLbSetting, "spec.localityLbSetting"),
    ...zoneAwareSetting(spec.zoneAwareLbSetting, "spec.zoneAwareLbSetting"),
    ...retryPolicy(spec.defaultHttpRetryPolicy, "spec.defaultHttpRetryPolicy"),
    ...connectionPool(spec.defaultTrafficPolicy?.connectionPool, "spec.defaultTrafficPolicy.connectionPool"),
    ...outlierDetection(spec.defaultTrafficPolicy?.outlierDetection, "spec.defaultTrafficPolicy.outlierDetection"),
  ],
};

/** Envoy requires more than a millisecond. */
function dnsRefreshRate({ dnsRefreshRate: rate }: MeshConfig): readonly Finding[] {
  const path = "spec.dnsRefreshRate";
  return [
    ...positiveDuration(rate, path),
    ...errorUnless(rate === undefined || durationToMs(rate) !== 1, path, {
      code: "bad-duration",
      message: "expected more than 1ms",
    }),
  ];
}

/** Checks the text formats of access logs. */
function accessLogs({ accessLogEncoding, accessLogFormat, extensionProviders }: MeshConfig): readonly Finding[] {
  const isText = accessLogEncoding === MeshConfig_AccessLogEncoding.TEXT;
  return [
    ...(isText ? commandOperators(accessLogFormat, "spec.accessLogFormat", "access log") : jsonFormat(accessLogFormat)),
    ...extensionProviders.flatMap(({ provider }, index) => {
      const format = provider.case === "envoyFileAccessLog" ? provider.value.logFormat?.logFormat : undefined;
      const at = fieldPath("spec.extensionProviders", index, "envoyFileAccessLog", "logFormat");
      if (format?.case === "text") return commandOperators(format.value, `${at}.text`, "access log");
      return format?.case === "labels" ? leaves(format.value, `${at}.labels`) : [];
    }),
  ];
}

function jsonFormat(text: string): readonly Finding[] {
  return leaves(parseJson(text), "spec.accessLogFormat");
}

/** Every text in a tree. */
function leaves(value: unknown, path: string): readonly Finding[] {
  if (typeof value === "string") return commandOperators(value, path, "access log");
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => leaves(inner, path));
}

function connectTimeout({ connectTimeout }: MeshConfig): readonly Finding[] {
  const ms = connectTimeout === undefined ? 1 : durationToMs(connectTimeout);
  return errorUnless(ms >= 1 && ms <= 30_000, "spec.connectTimeout", {
    code: "bad-duration",
    message: `expected 1ms to 30s, found ${ms}ms`,
  });
}

/** Zero switches the timeout off. */
function detectionTimeout({ protocolDetectionTimeout }: MeshConfig): readonly Finding[] {
  const ms = protocolDetectionTimeout === undefined ? 0 : durationToMs(protocolDetectionTimeout);
  return errorUnless(ms >= 0 && Number.isInteger(ms), "spec.protocolDetectionTimeout", {
    code: "bad-duration",
    message: `expected whole milliseconds, found ${ms}ms`,
  });
}
