import type { RolloutsPage, ShownRollout } from "../../admin/pilot/rollouts-page.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { MeshError } from "../../lib/errors.ts";
import { rolloutCommands } from "../../pilot/xds/rollout/rollout-commands.ts";
import type { Told } from "../../pilot/xds/rollout/rollout-event.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { valueFlag } from "../flags/flag.ts";
import { inNotation, isText, outputFlag, tableForms } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { rolloutsTable, rolloutsText, rolloutText } from "../rollout/rollout-text.ts";
import { ChangePrinter } from "../watch/change-printer.ts";
import { watch } from "../watch/watch.ts";
import { watchFlag } from "../watch/watch-flag.ts";

const flags: readonly DocumentedFlag[] = [
  serverFlag,
  valueFlag("reason", "TEXT", "Words for the timeline. With pause, resume, abort and promote."),
  { ...watchFlag, doc: `${watchFlag.doc} Only with list.` },
  outputFlag(tableForms),
];
const words = ["list", "show", ...rolloutCommands];
const expected = "list, or show, pause, resume, abort or promote with NAMESPACE/NAME";

export const command: Command = {
  usage: "list|show|pause|resume|abort|promote [ROLLOUT] [flags]",
  flags,
  words,
  examples: [
    "rollout list",
    "rollout list -o wide",
    "rollout list --watch",
    "rollout show shop/checkout",
    "rollout pause shop/checkout",
    "rollout resume shop/checkout",
    'rollout abort shop/checkout --reason "slower than before" --server 127.0.0.1:8080',
    "rollout promote shop/checkout -o json",
  ],
  problem: "list, show: a rollout is halted; other words: the server refuses the command",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: 2 });
    const [word = "", name] = given.positionals;
    const body = bodyOf(word, name, { by: terminal.env["USER"] ?? "", reason: given.value("reason") });
    const form = given.choice("output", tableForms);
    const server = given.value("server");
    // Our own page, which names its format.
    const ask = async () => (await fetchPage(server, "/debug/rollouts", { body })) as RolloutsPage;
    if (given.has("watch")) {
      if (word !== "list") throw new MeshError("bad-option", `--watch: only with list, not with ${word}`);
      const printer = new ChangePrinter(form, terminal);
      const show = (page: RolloutsPage) => printer.show(rolloutsTable(page, form));
      const exitCode = ({ rollouts }: RolloutsPage) => exitCodeOf(rollouts);
      return await watch({ from: `--server ${server}`, read: ask, show, exitCode }, terminal);
    }
    const page = await withServerProgress(server, terminal, ask);
    if (word === "show") {
      const rollout = named(page, name ?? "");
      if (isText(form)) terminal.print(rolloutText(rollout));
      else terminal.printData(inNotation(rollout, form));
      return exitCodeOf([rollout]);
    }
    if (isText(form)) terminal.print(rolloutsText(page, form));
    else terminal.printData(inNotation(page, form));
    return word === "list" ? exitCodeOf(page.rollouts) : ExitCode.ok;
  },
};

function exitCodeOf(rollouts: readonly ShownRollout[]): ExitCode {
  return rollouts.some(({ phase }) => phase === "halted") ? ExitCode.problem : ExitCode.ok;
}

/** The rollout of this name that is not over, or else the last one. */
function named({ rollouts, ended }: RolloutsPage, name: string): ShownRollout {
  const all = [...rollouts, ...ended];
  const found = all.find(({ rollout }) => rollout === name);
  if (found !== undefined) return found;
  const near = didYouMean(
    name,
    all.map(({ rollout }) => rollout),
  );
  throw new MeshError("not-found", `no rollout ${name}${near === undefined ? "" : `; did you mean ${near}?`}`);
}

/** The form that the page gets; undefined to read it. Throws `bad-option`. */
function bodyOf(word: string, name: string | undefined, order: Told): string | undefined {
  if (!words.includes(word)) throw new MeshError("bad-option", `${word}: expected ${expected}`);
  if (word === "list" && name !== undefined) throw new MeshError("bad-option", `list takes no ROLLOUT: ${name}`);
  if (word !== "list" && name === undefined) throw new MeshError("bad-option", `${word}: which ROLLOUT?`);
  const isCommand = word !== "list" && word !== "show";
  if (!isCommand && order.reason !== "") throw new MeshError("bad-option", `--reason: not with ${word}`);
  return isCommand ? new URLSearchParams({ command: word, rollout: name ?? "", ...order }).toString() : undefined;
}
