import type { RotationReport } from "../../admin/pilot/ca-rotation.ts";
import { rotationCommands } from "../../admin/pilot/ca-rotation.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, isText, outputFlag, tableForms } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { caText, caWatch } from "../mesh/ca-text.ts";
import { fetchIfThere } from "../mesh/fetch-page.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { ChangePrinter } from "../watch/change-printer.ts";
import { watch } from "../watch/watch.ts";
import { watchFlag } from "../watch/watch-flag.ts";

const flags: readonly DocumentedFlag[] = [
  { ...serverFlag, doc: "The --http address of a server with a certificate authority." },
  { ...watchFlag, doc: `${watchFlag.doc} Only with status.` },
  outputFlag(tableForms),
];

const words = ["status", ...rotationCommands];

export const command: Command = {
  usage: `${words.join("|")} [flags]`,
  flags,
  words,
  examples: ["ca status", "ca status --watch", "ca rotate --server 127.0.0.1:8080", "ca advance", "ca cancel"],
  problem: "the authority cannot sign now, or the server refuses the command",
  async run(args, terminal) {
    const expected = words.join(", ");
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: 1 });
    const [word = ""] = given.positionals;
    if (!words.includes(word)) throw new MeshError("bad-option", `${word}: expected ${expected}`);
    const form = given.choice("output", tableForms);
    const server = given.value("server");
    const body = word === "status" ? undefined : `command=${word}`;
    // Our own page, which names its format.
    const ask = async () => {
      const report = (await fetchIfThere(server, "/debug/ca/rotation", { body })) as RotationReport | undefined;
      if (report !== undefined) return report;
      throw new MeshError(
        "not-found",
        `--server ${server}: it has no roots: it was started without --ca, or with a signer`,
      );
    };
    if (given.has("watch")) {
      if (word !== "status") throw new MeshError("bad-option", `--watch: only with status, not with ${word}`);
      const printer = new ChangePrinter(form, terminal);
      const show = (report: RotationReport) => printer.show(caWatch(report, form));
      return await watch({ from: `--server ${server}`, read: ask, show, exitCode: exitCodeOf }, terminal);
    }
    const report = await withServerProgress(server, terminal, ask);
    if (isText(form)) terminal.print(caText(report, form));
    else terminal.printData(inNotation(report, form));
    return exitCodeOf(report);
  },
};

function exitCodeOf({ signs }: RotationReport): ExitCode {
  return signs ? ExitCode.ok : ExitCode.problem;
}
