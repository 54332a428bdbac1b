import type { ProxyConfig, Tracing, Tracing_CustomTag } from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import { durationToMs } from "../../grammar/duration.ts";
import { notNegative, percentage, positiveDuration } from "../../rules/amount.ts";
import { headerName, headerText } from "../../rules/headers.ts";
import { hostPort, optionalPortNumber } from "../../rules/port.ts";
import { someText } from "../../rules/text.ts";
import { clientTlsSettings } from "../destination-rule/client-tls.ts";

/** Settings for the start of a proxy. Unset fields keep the defaults of the proxy's launcher. */
export function defaultProxyConfig(config: ProxyConfig | undefined, path: string): readonly Finding[] {
  if (config === undefined) return [];
  return [
    ...drainDuration(config, `${path}.drainDuration`),
    ...positiveDuration(config.terminationDrainDuration, `${path}.terminationDrainDuration`),
    ...hostPort(config.discoveryAddress, `${path}.discoveryAddress`),
    ...hostPort(config.statsdUdpAddress, `${path}.statsdUdpAddress`),
    ...hostPort(config.envoyMetricsService?.address ?? "", `${path}.envoyMetricsService.address`),
    ...hostPort(config.envoyAccessLogService?.address ?? "", `${path}.envoyAccessLogService.address`),
    ...optionalPortNumber(config.proxyAdminPort, `${path}.proxyAdminPort`),
    ...optionalPortNumber(config.statusPort, `${path}.statusPort`),
    ...notNegative(config.concurrency, `${path}.concurrency`),
    ...serverName(config, `${path}.proxyHeaders.server.value`),
    ...(config.tracing === undefined ? [] : tracing(config.tracing, `${path}.tracing`)),
  ];
}

const maxDrainMs = 3_600_000;

/** Envoy takes whole seconds. */
function drainDuration({ drainDuration }: ProxyConfig, path: string): readonly Finding[] {
  const ms = drainDuration === undefined ? 1000 : durationToMs(drainDuration);
  return errorUnless(ms >= 1000 && ms <= maxDrainMs && ms % 1000 === 0, path, {
    code: "bad-duration",
    message: `expected whole seconds, up to an hour, found ${ms}ms`,
  });
}

/** The server name of a proxy in responses. */
function serverName({ proxyHeaders }: ProxyConfig, path: string): readonly Finding[] {
  return headerText(proxyHeaders?.server?.value ?? "", path);
}

function tags(customTags: Tracing["customTags"], path: string): readonly Finding[] {
  return Object.entries(customTags).flatMap(([name, tag]) => [
    ...someText(name, path, "the name of a tag"),
    ...tagSource(tag, fieldPath(path, name)),
  ]);
}

function tagSource({ type }: Tracing_CustomTag, path: string): readonly Finding[] {
  switch (type.case) {
    case "literal":
      return someText(type.value.value, `${path}.literal.value`, "the value of a tag");
    case "environment":
      return someText(type.value.name, `${path}.environment.name`, "the name of a variable");
    case "header":
      return headerName(type.value.name, `${path}.header.name`);
    case undefined:
    default:
      return [];
  }
}

function tracing({ tracer, sampling, tlsSettings, customTags }: Tracing, path: string): readonly Finding[] {
  return [
    ...tags(customTags, `${path}.customTags`),
    ...collector(tracer, path),
    ...percentage(sampling, `${path}.sampling`),
    ...clientTlsSettings(tlsSettings, `${path}.tlsSettings`),
  ];
}

function collector(tracer: Tracing["tracer"], path: string): readonly Finding[] {
  switch (tracer.case) {
    case "zipkin":
    case "lightstep":
    case "datadog": {
      const at = `${path}.${tracer.case}.address`;
      const { address } = tracer.value;
      return [...someText(address, at, "the address of the collector"), ...collectorAddress(address, at)];
    }
    case "stackdriver":
    case "openCensusAgent":
    case undefined:
    default:
      return [];
  }
}

/** The start of the proxy fills in `$(HOST_IP):port`. */
function collectorAddress(address: string, path: string): readonly Finding[] {
  return hostPort(address.replace(/^\$\(\w+\)/u, "127.0.0.1"), path);
}
