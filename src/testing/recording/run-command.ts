import type { ExitCode } from "../../cli/command.ts";
import { run } from "../../cli/run.ts";

/** How a command ended, and what it said. */
export interface CommandRun {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandSurroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped in. */
  readonly input?: string;
  readonly coloured?: boolean;
}

/** A command line in this process, with a terminal that keeps what is printed. */
export async function runCommand(
  args: readonly string[],
  { env = {}, input = "", coloured = false }: CommandSurroundings = {},
): Promise<CommandRun> {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await run(args, {
    env,
    print: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
    coloured: { print: coloured, complain: coloured },
    readInput: () => Promise.resolve(Buffer.from(input)),
  });
  return { code, stdout: printed.join("\n"), stderr: complaints.join("\n") };
}
