import type { OptionRows } from "./option.ts";
import { count, periodMs, singleText } from "./option-values.ts";

/** Options for the log of the configuration in force. */
export interface HistoryOptions {
  readonly history: string;
  readonly historyMaxBytes: number;
  readonly historyMaxAgeMs: number;
}

export const historyOptions: OptionRows<HistoryOptions> = {
  history: {
    name: "history",
    env: ["BINNACLE_HISTORY"],
    type: singleText("DIR|etcd://HOST:PORT/PREFIX"),
    default: "off",
    defaultText: "off",
    doc: "Keeps a log of the configuration in force in this directory or below this prefix of an etcd, for `binnacle history`. Contents of Secrets are not in it. The URL of an etcd is written as for --source. One server writes to a directory or a prefix.",
    example: "/var/lib/binnacle/history",
    of: "pilot",
  },
  historyMaxBytes: {
    name: "history-max-bytes",
    env: ["BINNACLE_HISTORY_MAX_BYTES"],
    type: count,
    default: 268_435_456,
    defaultText: "268435456",
    doc: "Deletes the oldest parts of the history when it is longer.",
    example: "1073741824",
    of: "pilot",
  },
  historyMaxAgeMs: {
    name: "history-max-age",
    env: ["BINNACLE_HISTORY_MAX_AGE"],
    type: periodMs,
    default: 604_800_000,
    defaultText: "168h",
    doc: "Deletes parts of the history that are older.",
    example: "720h",
    of: "pilot",
  },
};
