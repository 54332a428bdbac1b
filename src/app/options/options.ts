import { type AccessOptions, accessOptions } from "./access-options.ts";
import { type CaOptions, caOptions } from "./ca-options.ts";
import { type FlowOptions, flowOptions } from "./flow-options.ts";
import { type HistoryOptions, historyOptions } from "./history-options.ts";
import { type InjectOptions, injectOptions } from "./inject-options.ts";
import { type JwksOptions, jwksOptions } from "./jwks-options.ts";
import { type KubeOptions, kubeOptions } from "./kube-options.ts";
import { type LogOptions, logOptions } from "./log-options.ts";
import { type McpOptions, mcpOptions } from "./mcp-options.ts";
import { type MeshOptions, meshOptions } from "./mesh-options.ts";
import { type OperatorOptions, operatorOptions } from "./operator-options.ts";
import type { Option, OptionRows } from "./option.ts";
import { singleText } from "./option-values.ts";
import { type RecordingOptions, recordingOptions } from "./recording-options.ts";
import { type TelemetryOptions, telemetryOptions } from "./telemetry-options.ts";
import { type WebhookOptions, webhookOptions } from "./webhook-options.ts";
import { type WorkloadOptions, workloadOptions } from "./workload-options.ts";

/** All settings as plain values. Read once, then passed down. */
export interface Options
  extends MeshOptions,
    AccessOptions,
    CaOptions,
    OperatorOptions,
    RecordingOptions,
    TelemetryOptions,
    WebhookOptions,
    InjectOptions,
    KubeOptions,
    FlowOptions,
    HistoryOptions,
    JwksOptions,
    WorkloadOptions,
    McpOptions,
    LogOptions {
  readonly configFile: string | undefined;
}

/** The themes, as headings, in the order of `--help`. */
export const optionThemes = {
  "configuration and names": meshOptions,
  "proxies and who may connect": accessOptions,
  "certificate authority": caOptions,
  "operation and probes": operatorOptions,
  "traces and metrics by OTLP": telemetryOptions,
  "admission webhook": webhookOptions,
  "injection of proxies into pods": injectOptions,
  "leader election and status in Kubernetes": kubeOptions,
  "pace and limits of pushes": flowOptions,
  "history of the configuration": historyOptions,
  recordings: recordingOptions,
  "key sets of RequestAuthentications": jwksOptions,
  "machines that register": workloadOptions,
  MCP: mcpOptions,
  log: logOptions,
} as const;

/** Every setting there is. */
export const optionTable: OptionRows<Options> = {
  ...meshOptions,
  ...accessOptions,
  ...caOptions,
  ...operatorOptions,
  ...telemetryOptions,
  ...webhookOptions,
  ...injectOptions,
  ...kubeOptions,
  ...flowOptions,
  ...historyOptions,
  ...recordingOptions,
  ...jwksOptions,
  ...workloadOptions,
  ...mcpOptions,
  ...logOptions,
  configFile: {
    name: "config-file",
    env: ["BINNACLE_CONFIG_FILE"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Reads these settings from a YAML file, by the names of the flags. Flags and environment variables take precedence.",
    example: "binnacle.yaml",
  },
};

/** All rows, in the order of `--help`. */
export const optionRows = Object.entries(optionTable) as readonly (readonly [keyof Options, Option<unknown>])[];

/** Defaults of `binnacle galley` that differ from `binnacle serve`. */
export const galleyDefaults: Pick<Options, "mcp"> = { mcp: "127.0.0.1:9901" };

/** Defaults of `binnacle pilot` that differ: the user must name the sources. */
export const pilotDefaults: Pick<Options, "sources"> = { sources: [] };

export function defaultOptions(): Options {
  // The table has a row of the right type for every key.
  return Object.fromEntries(optionRows.map(([key, row]) => [key, row.default])) as unknown as Options;
}
