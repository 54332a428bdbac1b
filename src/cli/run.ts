import { didYouMean } from "../lib/did-you-mean.ts";
import { errorFrom, MeshError } from "../lib/errors.ts";
import { ExitCode, exitCodeOf, type Terminal } from "./command.ts";
import { commands } from "./commands.ts";
import { helpOf, overview } from "./help.ts";

/**
 * Runs one command line. Expected failures become one sentence and an exit code; bugs keep their stack. `onLoaded` is
 * called right before the command itself runs.
 */
export async function run(
  args: readonly string[],
  terminal: Terminal,
  onLoaded: () => void = () => {},
): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === "--version") return await run(["version"], terminal, onLoaded);
  if (name === "help" && rest.length > 0) return await run([...rest, "--help"], terminal, onLoaded);
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    terminal.print(overview(commands));
    return name === undefined ? ExitCode.usage : ExitCode.ok;
  }
  const listed = commands.find((each) => each.name === name);
  if (listed === undefined) return complainOfCommand(name, terminal);
  const { command } = await listed.load();
  if (asksForHelp(rest)) {
    terminal.print(helpOf(listed, command));
    return ExitCode.ok;
  }
  onLoaded();
  try {
    return await command.run(rest, terminal);
  } catch (thrown) {
    return complainOfFailure(name, MeshError.from(thrown), terminal);
  }
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

function complainOfFailure(name: string, error: MeshError, terminal: Terminal): ExitCode {
  const text = error.code === "internal" ? errorFrom(error.cause ?? error).stack : error.message;
  terminal.complain(`binnacle ${name}: ${text}`);
  return exitCodeOf(error.code);
}
