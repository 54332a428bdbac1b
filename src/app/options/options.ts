import type { LogLevels } from "../log/log-scopes.ts";
import { type LogFormat, logFormats } from "../log/logger.ts";
import { type AccessOptions, accessOptions } from "./access-options.ts";
import { type FlowOptions, flowOptions } from "./flow-options.ts";
import { type KubeOptions, kubeOptions } from "./kube-options.ts";
import { type McpOptions, mcpOptions } from "./mcp-options.ts";
import {
  address,
  durationMs,
  kindNames,
  oneOf,
  onOff,
  periodMs,
  scopedLevels,
  sourceUrls,
  switched,
  text,
  type ValueType,
} from "./option-values.ts";

/** Everything that can be set from outside, as plain values. Read once, then passed down. */
export interface Options extends AccessOptions, FlowOptions, KubeOptions, McpOptions {
  readonly sources: readonly string[];
  readonly mesh: string | undefined;
  readonly networks: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly serviceDiscovery: boolean;
  readonly exclude: readonly string[];
  readonly xds: string;
  readonly http: string;
  readonly metrics: string;
  readonly webhook: string;
  readonly webhookCert: string | undefined;
  readonly webhookKey: string | undefined;
  readonly webhookUnknownFields: "warn" | "deny";
  readonly ctrlz: string;
  readonly profiling: boolean;
  readonly allowDisconnect: boolean;
  readonly livenessFile: string | undefined;
  readonly readinessFile: string | undefined;
  readonly probeIntervalMs: number;
  readonly domain: string;
  readonly clusterId: string;
  readonly debounceAfterMs: number;
  readonly debounceMaxMs: number;
  readonly logLevel: LogLevels;
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
  /** The half of the control plane that it is about; absent where it concerns any server. */
  readonly of?: "galley" | "pilot";
}

export type OptionTable = { readonly [Key in keyof Options]: Option<Options[Key]> };

export const optionTable: OptionTable = {
  sources: {
    name: "source",
    env: ["BINNACLE_SOURCE"],
    type: sourceUrls,
    default: ["file:./mesh"],
    defaultText: "file:./mesh",
    doc: "where configuration comes from: file:DIR (or DIR without the flag), kube:[CONTEXT], etcd://HOST:PORT/PREFIX, zookeeper://HOST:PORT/ROOT, eureka+http://HOST:PORT/PATH, mcp://HOST:PORT, mcp+listen://HOST:PORT, xds://HOST:PORT, or off for nowhere; may be repeated, and the first wins a name clash; with optional=30s in its query the mesh waits no longer for it",
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
  networks: {
    name: "networks",
    env: ["BINNACLE_NETWORKS"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "MeshNetworks as YAML, watched: which endpoints are in which network, and the ways into it",
    example: "networks.yaml",
  },
  kubeconfig: {
    name: "kubeconfig",
    env: ["BINNACLE_KUBECONFIG", "KUBECONFIG"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "how to reach the API server of kube:, and as whom; without it ~/.kube/config, and without that the service account of the pod",
    example: "kubeconfig.yaml",
  },
  serviceDiscovery: {
    name: "service-discovery",
    env: ["BINNACLE_SERVICE_DISCOVERY"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "whether Kubernetes Services, with their endpoints, are services of the mesh",
    example: "off",
  },
  exclude: {
    name: "exclude",
    env: ["BINNACLE_EXCLUDE"],
    type: kindNames,
    default: [],
    defaultText: "",
    doc: "a kind that is left out, as in Ingress; may be repeated; what service discovery needs stays",
    example: "Ingress",
  },
  xds: {
    name: "xds",
    env: ["BINNACLE_XDS"],
    type: address,
    default: "127.0.0.1:15010",
    defaultText: "127.0.0.1:15010",
    doc: "plaintext xDS for proxies",
    example: "0.0.0.0:15010",
    of: "pilot",
  },
  ...accessOptions,
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
    default: "deny",
    defaultText: "deny",
    doc: "what becomes of objects whose spec has fields that their kind has not, misspelt ones for example; a server does not apply them",
    example: "warn",
  },
  ...kubeOptions,
  ctrlz: {
    name: "ctrlz",
    env: ["BINNACLE_CTRLZ"],
    type: address,
    default: "127.0.0.1:9876",
    defaultText: "127.0.0.1:9876",
    doc: "introspection: log levels, snapshots, collections, memory, environment; where the default is taken, the process goes without",
    example: "off",
  },
  profiling: {
    name: "profiling",
    env: ["BINNACLE_PROFILING"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "CPU and heap profiles on the ctrlz address, at /debug/pprof/",
    example: "true",
  },
  allowDisconnect: {
    name: "allow-disconnect",
    env: ["BINNACLE_ALLOW_DISCONNECT"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "let operators end the streams of proxies, at /debug/force_disconnect",
    example: "true",
  },
  livenessFile: {
    name: "liveness-file",
    env: ["BINNACLE_LIVENESS_FILE"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "a file that is kept fresh while the process is alive",
    example: "/run/binnacle/live",
  },
  readinessFile: {
    name: "readiness-file",
    env: ["BINNACLE_READINESS_FILE"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "a file that is kept fresh while the process is ready",
    example: "/run/binnacle/ready",
  },
  probeIntervalMs: {
    name: "probe-interval",
    env: ["BINNACLE_PROBE_INTERVAL"],
    type: periodMs,
    default: 2000,
    defaultText: "2s",
    doc: "how old these files may become",
    example: "10s",
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
    of: "pilot",
  },
  debounceMaxMs: {
    name: "debounce-max",
    env: ["BINNACLE_DEBOUNCE_MAX", "PILOT_DEBOUNCE_MAX"],
    type: durationMs,
    default: 1000,
    defaultText: "1s",
    doc: "the longest a change waits while others keep coming",
    example: "10s",
    of: "pilot",
  },
  ...flowOptions,
  ...mcpOptions,
  logLevel: {
    name: "log-level",
    env: ["BINNACLE_LOG_LEVEL"],
    type: scopedLevels,
    default: { default: "info" },
    defaultText: "info",
    doc: "what is logged, on stderr: debug, info, warn, error or silent, or by scope: xds:debug,default:info",
    example: "xds:debug",
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

/** What `binnacle galley` has otherwise than `binnacle serve`. */
export const galleyDefaults: Pick<Options, "mcp"> = { mcp: "127.0.0.1:9901" };

/** What `binnacle pilot` has otherwise: where configuration comes from must be said. */
export const pilotDefaults: Pick<Options, "sources"> = { sources: [] };

export function defaultOptions(): Options {
  // The table has a row of the right type for every key.
  return Object.fromEntries(optionRows.map(([key, row]) => [key, row.default])) as unknown as Options;
}
