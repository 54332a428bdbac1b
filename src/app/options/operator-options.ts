import type { OptionRows } from "./option.ts";
import { address, durationMs, onOff, periodMs, switched, singleText } from "./option-values.ts";

/** Options for pages, metrics, introspection and probes. */
export interface OperatorOptions {
  readonly http: string;
  readonly metrics: string;
  readonly desk: boolean;
  readonly ctrlz: string;
  readonly profiling: boolean;
  readonly allowDisconnect: boolean;
  readonly livenessFile: string | undefined;
  readonly readinessFile: string | undefined;
  readonly probeIntervalMs: number;
  readonly watchdogMs: number;
}

export const operatorOptions: OptionRows<OperatorOptions> = {
  http: {
    name: "http",
    env: ["BINNACLE_HTTP"],
    type: address,
    default: "127.0.0.1:8080",
    defaultText: "127.0.0.1:8080",
    doc: "Address that serves probes and debug pages.",
    example: "127.0.0.1:0",
  },
  desk: {
    name: "desk",
    env: ["BINNACLE_DESK"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "Serves the operator's desk and its JSON API on the --http address: on or off.",
    example: "off",
  },
  metrics: {
    name: "metrics",
    env: ["BINNACLE_METRICS"],
    type: address,
    default: "127.0.0.1:15014",
    defaultText: "127.0.0.1:15014",
    doc: "Address that serves Prometheus metrics and the version.",
    example: "off",
  },
  ctrlz: {
    name: "ctrlz",
    env: ["BINNACLE_CTRLZ"],
    type: address,
    default: "127.0.0.1:9876",
    defaultText: "127.0.0.1:9876",
    doc: "Address that serves ControlZ introspection. It shows log levels, snapshots, collections, memory and environment. If the default address is in use, the process starts without ControlZ.",
    example: "off",
  },
  profiling: {
    name: "profiling",
    env: ["BINNACLE_PROFILING"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "Serves CPU and heap profiles at /debug/pprof/ on the --ctrlz address.",
    example: "true",
  },
  allowDisconnect: {
    name: "allow-disconnect",
    env: ["BINNACLE_ALLOW_DISCONNECT"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "Lets operators close the streams of proxies at /debug/force_disconnect.",
    example: "true",
  },
  livenessFile: {
    name: "liveness-file",
    env: ["BINNACLE_LIVENESS_FILE"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "File that the process updates while it is alive.",
    example: "/run/binnacle/live",
  },
  readinessFile: {
    name: "readiness-file",
    env: ["BINNACLE_READINESS_FILE"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "File that the process updates while it is ready.",
    example: "/run/binnacle/ready",
  },
  probeIntervalMs: {
    name: "probe-interval",
    env: ["BINNACLE_PROBE_INTERVAL"],
    type: periodMs,
    default: 2000,
    defaultText: "2s",
    doc: "Maximum age of --liveness-file and --readiness-file.",
    example: "10s",
  },
  watchdogMs: {
    name: "watchdog",
    env: ["BINNACLE_WATCHDOG"],
    type: durationMs,
    default: 5000,
    defaultText: "5s",
    doc: "Logs the stack of the main thread when it makes no progress for this time. Liveness probes fail meanwhile. 0s switches the watchdog off.",
    example: "10s",
  },
};
