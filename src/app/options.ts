import { type LogFormat, type LogLevel, logFormats, logLevels } from "./logger.ts";
import { address, durationMs, list, oneOf, text, type ValueType } from "./option-values.ts";

/** Everything that can be set from outside, as plain values. Read once, then passed down. */
export interface Options {
  readonly sources: readonly string[];
  readonly mesh: string | undefined;
  readonly xds: string;
  readonly http: string;
  readonly metrics: string;
  readonly webhook: string;
  readonly webhookCert: string | undefined;
  readonly webhookKey: string | undefined;
  readonly webhookUnknownFields: "warn" | "deny";
  readonly domain: string;
  readonly clusterId: string;
  readonly debounceAfterMs: number;
  readonly debounceMaxMs: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat | undefined;
  readonly configFile: string | undefined;
}

/** One row: the same setting as a flag, in the environment, in the configuration file, in `--help` and in the docs. */
export interface Option<T> {
  /** The flag without its dashes, and the key in the configuration file. */
  readonly name: string;
  /** The first that is set counts. Istio's own names come after ours. */
  readonly env: readonly string[];
  readonly type: ValueType<Exclude<T, undefined>>;
  readonly default: T;
  /** The default as a person would write it; empty when there is none. */
  readonly defaultText: string;
  readonly doc: string;
  readonly example: string;
}

export type OptionTable = { readonly [Key in keyof Options]: Option<Options[Key]> };

export const optionTable: OptionTable = {
  sources: {
    name: "source",
    env: ["BINNACLE_SOURCE"],
    type: list("URL"),
    default: ["file:./mesh"],
    defaultText: "file:./mesh",
    doc: "where configuration comes from; may be repeated, and the first wins a name clash; DIR is short for file:DIR",
    example: "file:./mesh",
  },
  mesh: {
    name: "mesh",
    env: ["BINNACLE_MESH"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "MeshConfig as YAML, watched; Istio's defaults without it",
    example: "mesh.yaml",
  },
  xds: {
    name: "xds",
    env: ["BINNACLE_XDS"],
    type: address,
    default: "127.0.0.1:15010",
    defaultText: "127.0.0.1:15010",
    doc: "plaintext xDS for proxies",
    example: "0.0.0.0:15010",
  },
  http: {
    name: "http",
    env: ["BINNACLE_HTTP"],
    type: address,
    default: "127.0.0.1:8080",
    defaultText: "127.0.0.1:8080",
    doc: "probes and debug pages",
    example: "127.0.0.1:0",
  },
  metrics: {
    name: "metrics",
    env: ["BINNACLE_METRICS"],
    type: address,
    default: "127.0.0.1:15014",
    defaultText: "127.0.0.1:15014",
    doc: "metrics for Prometheus, and the version",
    example: "off",
  },
  webhook: {
    name: "webhook",
    env: ["BINNACLE_WEBHOOK"],
    type: address,
    default: "off",
    defaultText: "off",
    doc: "validating admission webhook for Kubernetes, over HTTPS",
    example: ":9443",
  },
  webhookCert: {
    name: "webhook-cert",
    env: ["BINNACLE_WEBHOOK_CERT"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "its certificate chain as PEM, watched",
    example: "/etc/certs/cert-chain.pem",
  },
  webhookKey: {
    name: "webhook-key",
    env: ["BINNACLE_WEBHOOK_KEY"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "the key of its certificate as PEM, watched",
    example: "/etc/certs/key.pem",
  },
  webhookUnknownFields: {
    name: "webhook-unknown-fields",
    env: ["BINNACLE_WEBHOOK_UNKNOWN_FIELDS"],
    type: oneOf(["warn", "deny"]),
    default: "warn",
    defaultText: "warn",
    doc: "what becomes of objects whose spec has fields that their kind has not, misspelt ones for example",
    example: "deny",
  },
  domain: {
    name: "domain",
    env: ["BINNACLE_DOMAIN"],
    type: text("DOMAIN"),
    default: "cluster.local",
    defaultText: "cluster.local",
    doc: "the DNS domain that completes short host names",
    example: "mesh.example",
  },
  clusterId: {
    name: "cluster-id",
    env: ["BINNACLE_CLUSTER_ID", "CLUSTER_ID"],
    type: text("ID"),
    default: "Kubernetes",
    defaultText: "Kubernetes",
    doc: "the cluster that endpoints belong to",
    example: "east",
  },
  debounceAfterMs: {
    name: "debounce-after",
    env: ["BINNACLE_DEBOUNCE_AFTER", "PILOT_DEBOUNCE_AFTER"],
    type: durationMs,
    default: 10,
    defaultText: "10ms",
    doc: "how long configuration must be quiet before it is pushed; endpoints do not wait",
    example: "100ms",
  },
  debounceMaxMs: {
    name: "debounce-max",
    env: ["BINNACLE_DEBOUNCE_MAX", "PILOT_DEBOUNCE_MAX"],
    type: durationMs,
    default: 1000,
    defaultText: "1s",
    doc: "the longest a change waits while others keep coming",
    example: "10s",
  },
  logLevel: {
    name: "log-level",
    env: ["BINNACLE_LOG_LEVEL"],
    type: oneOf(logLevels),
    default: "info",
    defaultText: "info",
    doc: "what is logged, on stderr",
    example: "debug",
  },
  logFormat: {
    name: "log-format",
    env: ["BINNACLE_LOG_FORMAT"],
    type: oneOf(logFormats),
    default: undefined,
    defaultText: "",
    doc: "text on a terminal, else json",
    example: "json",
  },
  configFile: {
    name: "config-file",
    env: ["BINNACLE_CONFIG_FILE"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "these settings as YAML, by the same names; flags and the environment come first",
    example: "binnacle.yaml",
  },
};

/** All rows, in the order of `--help`. */
export const optionRows = Object.entries(optionTable) as readonly (readonly [keyof Options, Option<unknown>])[];

export function defaultOptions(): Options {
  // The table has a row of the right type for every key.
  return Object.fromEntries(optionRows.map(([key, row]) => [key, row.default])) as unknown as Options;
}
