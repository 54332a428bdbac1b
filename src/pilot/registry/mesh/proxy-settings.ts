import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import type {
  ProxyConfig,
  ProxyConfig_ProxyHeaders as ProxyHeaders,
  Topology,
  Tracing,
} from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import {
  ForwardClientCertDetails,
  ProxyConfig_ProxyHeaders_MetadataExchangeMode as MetadataExchangeMode,
  ProxyConfig_ConnectionSettings_Profile as Profile,
  ProxyConfigSchema,
} from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import { compareTexts } from "../../../lib/compare.ts";
import type {
  ForwardedClientCert,
  GatewayTopology,
  HeaderSettings,
  ProxySettings,
  TraceTag,
  TracingSettings,
} from "../../model/proxy/proxy-settings.ts";
import { defaultProxySettings as defaults } from "../../model/proxy/proxy-settings.ts";
import { connectionLimitsOf } from "./connection-limits.ts";

export function proxySettingsOf(config: ProxyConfig | undefined): ProxySettings {
  if (config === undefined) return defaults;
  return {
    headers: headerSettingsOf(config.proxyHeaders),
    topology: topologyOf(config.gatewayTopology),
    tracing: tracingOf(config.tracing),
    limits: limitsOf(config.connectionSettings),
  };
}

/** Parses the settings that a proxy sends as JSON. Throws if they are no ProxyConfig. */
export function readProxySettings(json: JsonValue): ProxySettings {
  return proxySettingsOf(fromJson(ProxyConfigSchema, json, { ignoreUnknownFields: true }));
}

function headerSettingsOf(headers: ProxyHeaders | undefined): HeaderSettings {
  if (headers === undefined) return defaults.headers;
  const passesServer = headers.server?.disabled ?? false;
  return {
    serverName: passesServer ? "" : (headers.server?.value ?? ""),
    passesServer,
    generatesRequestId: !(headers.requestId?.disabled ?? false),
    hidesDebug: headers.envoyDebugHeaders?.disabled ?? false,
    hidesIdentityOutside: headers.metadataExchangeHeaders?.mode === MetadataExchangeMode.IN_MESH,
    forwardedClientCert: forwardings[headers.forwardedClientCert],
    clientCertDetails: clientCertDetailsOf(headers),
    preservesCase: headers.preserveHttp1HeaderCase ?? false,
    appendsForwardedPort: headers.xForwardedPort?.enabled ?? false,
    countsAttempts: !(headers.attemptCount?.disabled ?? false),
    appendsForwardedHost: headers.xForwardedHost?.enabled ?? false,
  };
}

const forwardings: Readonly<Record<ForwardClientCertDetails, ForwardedClientCert | undefined>> = {
  [ForwardClientCertDetails.UNDEFINED]: undefined,
  [ForwardClientCertDetails.SANITIZE]: "sanitize",
  [ForwardClientCertDetails.FORWARD_ONLY]: "forward-only",
  [ForwardClientCertDetails.APPEND_FORWARD]: "append-forward",
  [ForwardClientCertDetails.SANITIZE_SET]: "sanitize-set",
  [ForwardClientCertDetails.ALWAYS_FORWARD_ONLY]: "always-forward-only",
};

function clientCertDetailsOf({ setCurrentClientCertDetails: said }: ProxyHeaders): HeaderSettings["clientCertDetails"] {
  const details = Object.entries({
    subject: said?.subject,
    cert: said?.cert,
    chain: said?.chain,
    dns: said?.dns,
    uri: said?.uri,
  });
  return Object.fromEntries(details.filter(([, value]) => value !== undefined));
}

function topologyOf(topology: Topology | undefined): GatewayTopology {
  if (topology === undefined) return defaults.topology;
  return {
    trustedProxies: topology.numTrustedProxies,
    forwardedClientCert: forwardings[topology.forwardClientCertDetails],
    proxyProtocol: topology.proxyProtocol !== undefined,
  };
}

function limitsOf(settings: ProxyConfig["connectionSettings"]): ProxySettings["limits"] {
  if (settings === undefined) return defaults.limits;
  return { ...connectionLimitsOf(settings), edge: settings.profile === Profile.EDGE };
}

function tracingOf(tracing: Tracing | undefined): TracingSettings {
  if (tracing === undefined) return defaults.tracing;
  const tags = Object.entries(tracing.customTags).toSorted(([a], [b]) => compareTexts(a, b));
  return {
    sampling: tracing.sampling > 0 && tracing.sampling <= 100 ? tracing.sampling : defaults.tracing.sampling,
    maxPathTagLength: tracing.maxPathTagLength,
    tags: tags.flatMap(([name, tag]) => traceTagOf(name, tag) ?? []),
    istioTags: tracing.enableIstioTags ?? defaults.tracing.istioTags,
  };
}

/** Undefined for a tag without a value. */
function traceTagOf(name: string, { type }: Tracing["customTags"][string]): TraceTag | undefined {
  if (type.case === undefined) return undefined;
  if (type.case === "literal") return { name, type: type.case, value: type.value.value };
  const { name: source, defaultValue: otherwise } = type.value;
  if (type.case === "header") return { name, type: type.case, header: source, otherwise };
  return { name, type: type.case, variable: source, otherwise };
}
