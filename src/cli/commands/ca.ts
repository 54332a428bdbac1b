import type { RotationReport } from "../../admin/pilot/ca-rotation.ts";
import { rotationCommands } from "../../admin/pilot/ca-rotation.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { caText } from "../mesh/ca-text.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";

const flags: readonly DocumentedFlag[] = [
  { ...serverFlag, doc: "The --http address of a server with a certificate authority." },
  outputFlag(notations),
];

const words = ["status", ...rotationCommands];

export const command: Command = {
  usage: `${words.join("|")} [flags]`,
  flags,
  words,
  examples: ["ca status", "ca rotate --server 127.0.0.1:8080", "ca advance", "ca cancel"],
  problem: "the authority cannot sign now, or the server refuses the command",
  async run(args, terminal) {
    const expected = words.join(", ");
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: 1 });
    const [word = ""] = given.positionals;
    if (!words.includes(word)) throw new MeshError("bad-option", `${word}: expected ${expected}`);
    const notation = given.choice("output", notations);
    const server = given.value("server");
    const body = word === "status" ? undefined : `command=${word}`;
    const page = await withServerProgress(server, terminal, () => fetchPage(server, "/debug/ca/rotation", { body }));
    // Our own page, which names its format.
    const report = page as RotationReport;
    if (notation === "text") terminal.print(caText(report));
    else terminal.printData(inNotation(report, notation));
    return report.signs ? ExitCode.ok : ExitCode.problem;
  },
};
