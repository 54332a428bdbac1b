import { checkProbeFile } from "../../admin/probes/check-probe-file.ts";
import { periodMs } from "../../app/options/option-values.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { valueFlag } from "../flags/flag.ts";
import { noPositionals, readFlags } from "../flags/read-flags.ts";

const flags: readonly DocumentedFlag[] = [
  valueFlag("file", "FILE", "The --liveness-file or --readiness-file of the server."),
  valueFlag("interval", "DURATION", "The --probe-interval of the server."),
];

export const command: Command = {
  usage: "--file FILE --interval DURATION",
  flags,
  examples: ["probe --file /run/binnacle/ready --interval 2s"],
  problem: "the file is missing or too old",
  async run(args, { complain }) {
    const given = readFlags(args, flags, noPositionals);
    const file = given.value("file");
    if (file === "")
      throw new MeshError(
        "bad-option",
        "--file is missing: name the --liveness-file or --readiness-file of the server",
      );
    const intervalMs = periodMs.parse(given.values("interval"));
    if (intervalMs === undefined) throw new MeshError("bad-option", `--interval: expected ${periodMs.expected}`);
    const problem = checkProbeFile({ file, intervalMs, now: Date.now() });
    if (problem === undefined) return ExitCode.ok;
    complain(problem);
    return ExitCode.problem;
  },
};
