import { cutText } from "../lib/cut-text.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { errorFrom, MeshError } from "../lib/errors.ts";
import { ExitCode, exitCodeOf, type Terminal } from "./command.ts";
import { commands } from "./commands.ts";
import { helpOf, overview } from "./help.ts";

/** Text may repeat names, values and arguments of any length; no line of it is longer than this. */
const maxLineLength = 1_500;

/** The same terminal, with short lines. Data is left alone: programs read it. */
function withShortLines(terminal: Terminal): Terminal {
  const { print, complain } = terminal;
  return { ...terminal, print: (text) => print(shortened(text)), complain: (text) => complain(shortened(text)) };
}

function shortened(text: string): string {
  const lines = text.split("\n");
  return lines.map((line) => cutText(line, maxLineLength)).join("\n");
}

/**
 * Runs one command line. Expected failures become one sentence and an exit code; bugs keep their stack. `onLoaded` is
 * called right before the command itself runs.
 */
export async function run(
  args: readonly string[],
  wideTerminal: Terminal,
  onLoaded: () => void = () => {},
): Promise<ExitCode> {
  const terminal = withShortLines(wideTerminal);
  const [name, ...rest] = args;
  if (name === "--version") return await run(["version"], wideTerminal, onLoaded);
  if (name === "help" && rest.length > 0) return await run([...rest, "--help"], wideTerminal, onLoaded);
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    terminal.print(overview(commands));
    return name === undefined ? ExitCode.usage : ExitCode.ok;
  }
  const listed = commands.find((each) => each.name === name || each.alias === name);
  if (listed === undefined) return complainOfCommand(name, terminal);
  const { command } = await listed.load();
  if (asksForHelp(rest)) {
    terminal.print(helpOf(listed, command));
    return ExitCode.ok;
  }
  await warnOfVariables(terminal);
  onLoaded();
  try {
    return await command.run(rest, terminal);
  } catch (thrown) {
    return complainOfFailure(name, MeshError.from(thrown), terminal);
  }
}

/** The table of settings is only loaded where a variable might be one. */
async function warnOfVariables({ env, complain }: Terminal): Promise<void> {
  if (!Object.keys(env).some((name) => name.startsWith("BINNACLE_"))) return;
  const { unknownVariables } = await import("./unknown-variables.ts");
  for (const warning of unknownVariables(env)) complain(warning);
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
