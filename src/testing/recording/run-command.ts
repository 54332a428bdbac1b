import { systemClock } from "../../app/process/system-clock.ts";
import type { ExitCode } from "../../cli/command.ts";
import { run } from "../../cli/run.ts";
import type { Clock } from "../../lib/time/clock.ts";

/** The exit code and the output of a command. */
export interface CommandRun {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandContext {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input?: string;
  readonly coloured?: boolean;
  /** Replaces the current line, as on a terminal. */
  readonly showStatus?: (text: string) => void;
  readonly clock?: Clock;
}

/** Runs a command line in this process, with a terminal that records the output. */
export async function runCommand(
  args: readonly string[],
  { env = {}, input = "", coloured = false, showStatus, clock = systemClock }: CommandContext = {},
): Promise<CommandRun> {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await run(args, {
    env,
    print: (text) => void printed.push(text),
    printData: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
    coloured: { print: coloured, complain: coloured },
    clock,
    ...(showStatus && { showStatus }),
    readInput: () => Promise.resolve(Buffer.from(input)),
  });
  return { code, stdout: printed.join("\n"), stderr: complaints.join("\n") };
}
