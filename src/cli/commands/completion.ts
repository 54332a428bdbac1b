import { MeshError } from "../../lib/errors.ts";
import { type Command, ExitCode } from "../command.ts";
import { bashScript } from "../completion/bash-script.ts";
import { completedCommands } from "../completion/completed-command.ts";
import { fishScript } from "../completion/fish-script.ts";
import { zshScript } from "../completion/zsh-script.ts";
import { readFlags } from "../flags/read-flags.ts";

const scripts = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);
const expected = "bash, zsh or fish";

export const command: Command = {
  usage: "bash|zsh|fish",
  flags: [],
  words: [...scripts.keys()],
  examples: ["completion bash > binnacle.bash", "completion zsh > _binnacle", "completion fish > binnacle.fish"],
  async run(args, { printData }) {
    const [shell = ""] = readFlags(args, command.flags, { expected, atLeast: 1, atMost: 1 }).positionals;
    const script = scripts.get(shell);
    if (script === undefined) throw new MeshError("bad-option", `expected ${expected}, found ${shell}`);
    printData(script(await completedCommands()));
    return ExitCode.ok;
  },
};
