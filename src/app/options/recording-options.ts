import type { OptionRows } from "./option.ts";
import { count, singleText } from "./option-values.ts";

/** Options for the recording of everything that a server gets. */
export interface RecordingOptions {
  readonly record: string;
  readonly recordMaxBytes: number;
}

export const recordingOptions: OptionRows<RecordingOptions> = {
  record: {
    name: "record",
    env: ["BINNACLE_RECORD"],
    type: singleText("FILE"),
    default: "off",
    defaultText: "off",
    doc: "Records into this file everything that the server gets from sources and proxies, for `binnacle replay`. An earlier file gets the suffix .previous. Contents of Secrets are not in it.",
    example: "/var/lib/binnacle/server.recording",
    of: "pilot",
  },
  recordMaxBytes: {
    name: "record-max-bytes",
    env: ["BINNACLE_RECORD_MAX_BYTES"],
    type: count,
    default: 268_435_456,
    defaultText: "268435456",
    doc: "Ends the recording when the file would become longer. The server continues.",
    example: "67108864",
    of: "pilot",
  },
};
