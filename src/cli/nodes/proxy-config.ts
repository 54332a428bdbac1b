import { MeshError } from "../../lib/errors.ts";
import { parseAddress } from "../../transport/listen-address.ts";
import type { SocketAddress } from "./bootstrap-cluster.ts";

/** The fields of Istio's ProxyConfig that concern a bootstrap or the command line of an Envoy, as JSON. New names only. */
export interface ProxyConfigJson {
  readonly concurrency?: number;
  readonly discoveryAddress?: string;
  readonly proxyAdminPort?: number;
  readonly serviceCluster?: string;
  readonly tracingServiceName?: string;
  readonly drainDuration?: string;
  readonly fileFlushInterval?: string;
  readonly fileFlushMinSizeKb?: number;
  readonly interceptionMode?: string;
  readonly meshId?: string;
  readonly proxyMetadata?: Readonly<Record<string, string>>;
  readonly runtimeValues?: Readonly<Record<string, string>>;
  readonly extraStatTags?: readonly string[];
  readonly proxyStatsMatcher?: StatsMatcherJson;
  readonly statsdUdpAddress?: string;
  readonly envoyMetricsService?: RemoteService;
  readonly envoyAccessLogService?: RemoteService;
  readonly tracing?: TracingJson;
  readonly connectionSettings?: { readonly globalDownstreamConnectionLimit?: number };
}

export interface RemoteService {
  readonly address?: string;
  readonly tlsSettings?: TlsJson;
  readonly tcpKeepalive?: { readonly probes?: number; readonly time?: string; readonly interval?: string };
}

/** The statistics that Envoy keeps, beside those that it always keeps. */
export interface StatsMatcherJson {
  readonly inclusionPrefixes?: readonly string[];
  readonly inclusionSuffixes?: readonly string[];
  readonly inclusionRegexps?: readonly string[];
}

interface TracingJson {
  readonly zipkin?: RemoteService;
  readonly datadog?: RemoteService;
  readonly tlsSettings?: TlsJson;
}

/** Istio's ClientTLSSettings. */
export interface TlsJson {
  readonly mode?: string;
  readonly caCertificates?: string;
  readonly clientCertificate?: string;
  readonly privateKey?: string;
  readonly subjectAltNames?: readonly string[];
  readonly sni?: string;
  readonly caCrl?: string;
}

/** Reads `HOST:PORT`. The host may be a variable, as in `$(HOST_IP):8126`. Throws `bad-option`. */
export function addressIn(
  field: string,
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): SocketAddress {
  const filled = text.replace(/^\$\((?<name>\w+)\)/u, (variable, name: string) => env[name] ?? variable);
  const address = parseAddress(filled);
  if (address?.type === "tcp" && address.host !== "" && !address.host.startsWith("$")) return address;
  throw new MeshError("bad-option", `${field} of the ProxyConfig: expected HOST:PORT, found ${JSON.stringify(filled)}`);
}

/** A sentence about the settings that only the command line of Envoy can set; undefined if there are none. */
export function launchNote(config: ProxyConfigJson): string | undefined {
  const { concurrency, drainDuration, fileFlushInterval, fileFlushMinSizeKb, proxyMetadata = {} } = config;
  const flags = [
    ...(concurrency === undefined || concurrency === 0 ? [] : [`--concurrency ${concurrency}`]),
    ...(drainDuration === undefined ? [] : [`--drain-time-s ${Math.round(Number.parseFloat(drainDuration))}`]),
    ...(fileFlushInterval === undefined
      ? []
      : [`--file-flush-interval-msec ${Math.round(Number.parseFloat(fileFlushInterval) * 1000)}`]),
    ...(fileFlushMinSizeKb === undefined ? [] : [`--file-flush-min-size-kb ${fileFlushMinSizeKb}`]),
  ];
  const variables = Object.entries(proxyMetadata).map(([name, value]) => `${name}=${value}`);
  const parts = [
    ...(flags.length === 0 ? [] : [`the flags ${flags.join(" ")}`]),
    ...(variables.length === 0 ? [] : [`the variables ${variables.join(" ")}`]),
  ];
  return parts.length === 0 ? undefined : `note: start Envoy with ${parts.join(", and with ")}`;
}
