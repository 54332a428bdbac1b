import { type MeshConfig, MeshConfig_AccessLogEncoding, MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { parseJson } from "../../lib/parse-json.ts";
import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";
import { durationMs } from "../grammar/duration.ts";
import type { Kind } from "../kind.ts";
import { meshDefaults } from "../mesh/mesh-defaults.ts";
import { envoyDuration, positiveDuration } from "../rules/amount.ts";
import { commandOperators } from "../rules/headers.ts";
import { optionalPortNumber } from "../rules/port.ts";
import { oneOf } from "../rules/text.ts";
import { unique } from "../rules/unique.ts";
import { connectionPool, tcpKeepalive } from "./destination-rule/connection-pool.ts";
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
    ...envoyDuration(spec.protocolDetectionTimeout, "spec.protocolDetectionTimeout"),
    ...positiveDuration(spec.dnsRefreshRate, "spec.dnsRefreshRate"),
    ...tcpKeepalive(spec.tcpKeepalive, "spec.tcpKeepalive"),
    ...curves(spec.tlsDefaults, "spec.tlsDefaults.ecdhCurves"),
    ...curves(spec.meshMTLS, "spec.meshMTLS.ecdhCurves"),
    ...accessLogs(spec),
    ...proxyConfig(spec.defaultConfig, "spec.defaultConfig"),
    ...localitySetting(spec.localityLbSetting, "spec.localityLbSetting"),
    ...retryPolicy(spec.defaultHttpRetryPolicy, "spec.defaultHttpRetryPolicy"),
    ...connectionPool(spec.defaultTrafficPolicy?.connectionPool, "spec.defaultTrafficPolicy.connectionPool"),
    ...outlierDetection(spec.defaultTrafficPolicy?.outlierDetection, "spec.defaultTrafficPolicy.outlierDetection"),
  ],
};

const knownCurves = ["P-256", "P-384", "P-521", "X25519", "X25519MLKEM768"];

/** Envoy rejects every listener and cluster with TLS for a curve that it does not know, or that is listed twice. */
function curves(tls: MeshConfig["tlsDefaults"], path: string): readonly Finding[] {
  const listed = tls?.ecdhCurves ?? [];
  return [
    ...listed.flatMap((curve, index) => oneOf(curve, knownCurves, fieldPath(path, index))),
    ...unique(listed, path, { what: "the curve", valueOf: (curve) => curve }),
  ];
}

/** Formats of access logs that are texts. */
function accessLogs({ accessLogEncoding, accessLogFormat, extensionProviders }: MeshConfig): readonly Finding[] {
  const isText = accessLogEncoding === MeshConfig_AccessLogEncoding.TEXT;
  return [
    ...(isText ? commandOperators(accessLogFormat, "spec.accessLogFormat") : jsonFormat(accessLogFormat)),
    ...extensionProviders.flatMap(({ provider }, index) => {
      const format = provider.case === "envoyFileAccessLog" ? provider.value.logFormat?.logFormat : undefined;
      const at = fieldPath("spec.extensionProviders", index, "envoyFileAccessLog", "logFormat");
      if (format?.case === "text") return commandOperators(format.value, `${at}.text`);
      return format?.case === "labels" ? leaves(format.value, `${at}.labels`) : [];
    }),
  ];
}

function jsonFormat(text: string): readonly Finding[] {
  return leaves(parseJson(text), "spec.accessLogFormat");
}

/** Every text in a tree. */
function leaves(value: unknown, path: string): readonly Finding[] {
  if (typeof value === "string") return commandOperators(value, path);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => leaves(inner, path));
}

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
