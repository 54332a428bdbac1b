import { setImmediate } from "node:timers/promises";
import { resourcesPage } from "../../admin/pilot/resources.ts";
import { pilotStateOf } from "../../app/parts/pilot-state.ts";
import { readRecordingFile } from "../../app/recording/read-recording-file.ts";
import { type ReplayReport, runReplay } from "../../app/recording/run-replay.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Recording } from "../../recording/recording.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { readTime } from "../history/read-position.ts";
import { replayText, shownReplay } from "../replay/replay-text.ts";

const flags: readonly DocumentedFlag[] = [
  valueFlag(
    "until",
    "TIME",
    "Ends at this time: 2026-11-18T14:03:00Z, 14:03 or 14:03:05 today, or an age such as 10m.",
  ),
  valueFlag("proxy", "NODE", "Compares only the responses to this proxy: a node id, or POD.NAMESPACE."),
  switchFlag("show", "Shows what the proxy of --proxy held at the end of the replay, instead of the comparison."),
  outputFlag(notations),
];

export const command: Command = {
  usage: "FILE [flags]",
  flags,
  examples: [
    "replay server.recording",
    "replay server.recording --proxy web-0.shop -o json",
    "replay server.recording --until 14:03 --proxy web-0.shop --show",
  ],
  problem: "a response differs, or the proxy of --show was not connected",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "FILE", atLeast: 1, atMost: 1 });
    const notation = given.choice("output", notations);
    const [path = ""] = given.positionals;
    const wanted = given.value("proxy");
    if (given.has("show") && wanted === "") throw new MeshError("bad-option", "--show: add --proxy");
    const recording = await readRecordingFile(path);
    const report = await runReplay(recording, {
      until: given.has("until") ? readTime("until", given.value("until"), new Date()) : Number.POSITIVE_INFINITY,
      isCompared: (node) => wanted === "" || node === wanted || node.split("~").includes(wanted),
      settled: () => setImmediate(),
    });
    const shown = shownReplay(report, recording);
    for (const note of shown.notes) terminal.complain(`note: ${note}`);
    if (given.has("show")) {
      const { status, body } = await heldBy(wanted, report, recording);
      if (status !== 200) throw new MeshError("not-found", `${wanted} was not connected then`);
      terminal.printData(notation === "json" ? body.trimEnd() : inNotation(JSON.parse(body), "yaml"));
      return ExitCode.ok;
    }
    if (notation === "text") terminal.print(replayText(shown));
    else terminal.printData(inNotation(shown, notation));
    return report.differences === 0 ? ExitCode.ok : ExitCode.problem;
  },
};

/** The page of the replayed server about the proxy. */
async function heldBy(proxy: string, { server }: ReplayReport, { head }: Recording) {
  const { clock } = server.replay;
  const state = {
    ...pilotStateOf({ ...server.pipeline, clock }),
    timeOf: (ms: number) => new Date(head.startedAt + (ms - head.clockAt)),
  };
  return await resourcesPage(state).answer(new URLSearchParams({ proxyID: proxy }));
}
