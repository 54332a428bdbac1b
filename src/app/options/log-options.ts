import type { LogLevels } from "../log/log-scopes.ts";
import { type LogFormat, logFormats } from "../log/logger.ts";
import { oneOf, scopedLevels } from "./option-values.ts";
import type { OptionRows } from "./options.ts";

/** What is logged, and how. */
export interface LogOptions {
  readonly logLevel: LogLevels;
  readonly logFormat: LogFormat | undefined;
}

export const logOptions: OptionRows<LogOptions> = {
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
};
