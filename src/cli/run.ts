import { didYouMean } from "../lib/did-you-mean.ts";
import { errorFrom, MeshError } from "../lib/errors.ts";
import { type Command, ExitCode, type Terminal } from "./command.ts";
import { commands } from "./commands.ts";
import { helpOf, overview } from "./help.ts";

/** Runs one command line. Expected failures become one sentence and an exit code; bugs keep their stack. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === "--version") return await run(["version"], terminal);
  if (name === "help" && rest.length > 0) return await run([...rest, "--help"], terminal);
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    terminal.print(overview(commands));
    return name === undefined ? ExitCode.usage : ExitCode.ok;
  }
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return complainOfCommand(name, terminal);
  if (asksForHelp(rest)) {
    terminal.print(helpOf(command));
    return ExitCode.ok;
  }
  return await runCommand(command, rest, terminal);
}

function complainOfCommand(name: string, terminal: Terminal): ExitCode {
  const near = didYouMean(
    name,
    commands.map((command) => command.name),
  );
  const hint = near === undefined ? "see binnacle --help" : `did you mean ${near}?`;
  terminal.complain(`binnacle: unknown command ${name}; ${hint}`);
  return ExitCode.usage;
}

function asksForHelp(args: readonly string[]): boolean {
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return own.includes("--help") || own.includes("-h");
}

async function runCommand(command: Command, args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    return await command.run(args, terminal);
  } catch (thrown) {
    const error = MeshError.from(thrown);
    const text = error.code === "internal" ? errorFrom(error.cause ?? error).stack : error.message;
    terminal.complain(`binnacle ${command.name}: ${text}`);
    return error.code === "bad-option" ? ExitCode.usage : ExitCode.problem;
  }
}
