import type { LogLevels } from "../log/log-scopes.ts";
import { type LogFormat, logFormats } from "../log/logger.ts";
import type { OptionRows } from "./option.ts";
import { oneOf, scopedLevels } from "./option-values.ts";

/** Options for the level and the format of the log. */
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
    doc: "Log level on stderr. One of debug, info, warn, error or silent, or a level per scope, such as xds:debug,default:info.",
    example: "xds:debug",
  },
  logFormat: {
    name: "log-format",
    env: ["BINNACLE_LOG_FORMAT"],
    type: oneOf(logFormats),
    default: undefined,
    defaultText: "",
    doc: "Format of the log. Without it, text on a terminal and json elsewhere.",
    example: "json",
  },
};
