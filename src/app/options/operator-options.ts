import { address, periodMs, switched, text } from "./option-values.ts";
import type { OptionRows } from "./options.ts";

/** What operators look at, and what looks after the process. */
export interface OperatorOptions {
  readonly http: string;
  readonly metrics: string;
  readonly ctrlz: string;
  readonly profiling: boolean;
  readonly allowDisconnect: boolean;
  readonly livenessFile: string | undefined;
  readonly readinessFile: string | undefined;
  readonly probeIntervalMs: number;
}

export const operatorOptions: OptionRows<OperatorOptions> = {
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
};
