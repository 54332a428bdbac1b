import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import {
  type ProxyConfig,
  ProxyConfig_InboundInterceptionMode,
  ProxyConfigSchema,
} from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import { deepEqual } from "../../lib/equal.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { Labels } from "../config.ts";
import { findingText, hasErrors } from "../finding.ts";
import { defaultProxyConfig } from "../kinds/mesh-config/default-proxy-config.ts";
import { decode } from "../proto-json/proto-json.ts";
import { toRaw } from "../proto-json/to-raw.ts";
import { parseOnly } from "../yaml/yaml.ts";
import { mergeProxyConfigs, type ProxyConfigSources, workloadProxyConfig } from "./workload-proxy-config.ts";

/** How a proxy is started: the part of ProxyConfig that decides about its containers, and all of it for its agent. */
export interface ProxyLaunch {
  readonly interceptionMode: "REDIRECT" | "TPROXY" | "NONE";
  /** The containers of the application start after the proxy is ready. */
  readonly holdsApplication: boolean;
  /** Variables of the agent and of Envoy, `proxyMetadata`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly statusPort: number;
  /** Such as `distroless`; empty for the default image. */
  readonly imageType: string;
  readonly discoveryAddress: string;
  /** The ProxyConfig as JSON, without the fields that have the agent's own default. */
  readonly json: string;
}

/** The defaults of `pilot-agent`. */
const agentDefaults = {
  configPath: "./etc/istio/proxy",
  binaryPath: "/usr/local/bin/envoy",
  serviceCluster: "istio-proxy",
  drainDuration: "45s",
  terminationDrainDuration: "5s",
  proxyAdminPort: 15_000,
  controlPlaneAuthPolicy: "MUTUAL_TLS",
  discoveryAddress: "istiod.istio-system.svc:15012",
  statNameLength: 189,
  statusPort: 15_020,
} as const satisfies JsonObject;

const modes = {
  [ProxyConfig_InboundInterceptionMode.REDIRECT]: "REDIRECT",
  [ProxyConfig_InboundInterceptionMode.TPROXY]: "TPROXY",
  [ProxyConfig_InboundInterceptionMode.NONE]: "NONE",
} as const;

/** Where the settings of a proxy come from. */
export interface LaunchSources extends ProxyConfigSources {
  /** Of a control plane whose address neither the mesh nor the pod gives. */
  readonly discoveryAddress: string;
}

/** The pod of a proxy. */
export interface LaunchedPod {
  readonly namespace: string;
  readonly labels: Labels;
  /** The annotation `proxy.istio.io/config`: YAML. */
  readonly annotation?: string | undefined;
}

export type LaunchResult = { readonly launch: ProxyLaunch } | { readonly problem: string };

/** The settings of a pod's proxy, or a mistake in the pod's annotation. */
export function proxyLaunch(sources: LaunchSources, { annotation, ...pod }: LaunchedPod): LaunchResult {
  const read = readProxyConfig(annotation);
  if ("problem" in read) return read;
  const written = workloadProxyConfig(sources, { ...pod, annotation: read.config });
  const defaults = { ...agentDefaults, discoveryAddress: sources.discoveryAddress };
  return { launch: launchFrom(fromJson(ProxyConfigSchema, mergeProxyConfigs(defaults, written))) };
}

/** Reads a ProxyConfig in YAML, as annotations have it. */
export function readProxyConfig(
  text: string | undefined,
): { readonly config: JsonObject } | { readonly problem: string } {
  if (text === undefined) return { config: {} };
  try {
    const { message, findings } = decode(ProxyConfigSchema, parseOnly(text, "the annotation") ?? {}, {
      path: "",
      unknownFields: "ignored",
    });
    const mistakes = message === undefined ? findings : defaultProxyConfig(message, "");
    if (message === undefined || hasErrors(mistakes)) {
      return { problem: mistakes.map((finding) => findingText(finding).replace(/^\./u, "")).join("; ") };
    }
    return { config: toRaw(ProxyConfigSchema, message) as JsonObject };
  } catch (thrown) {
    return { problem: errorFrom(thrown).message };
  }
}

function launchFrom(config: ProxyConfig): ProxyLaunch {
  const raw = toRaw(ProxyConfigSchema, config) as JsonObject;
  const different = Object.entries(raw).filter(([name, value]) => !deepEqual(value, Reflect.get(agentDefaults, name)));
  return {
    interceptionMode: modes[config.interceptionMode] ?? "REDIRECT",
    holdsApplication: config.holdApplicationUntilProxyStarts === true,
    environment: config.proxyMetadata,
    statusPort: config.statusPort,
    imageType: config.image?.imageType ?? "",
    discoveryAddress: config.discoveryAddress,
    json: JSON.stringify(Object.fromEntries(different)),
  };
}
