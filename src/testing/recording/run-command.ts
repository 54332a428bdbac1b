import { systemClock } from "../../app/process/system-clock.ts";
import type { ExitCode } from "../../cli/command.ts";
import { run } from "../../cli/run.ts";
import type { Screen } from "../../cli/text/screen.ts";
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
  readonly screen?: Screen;
  /** Ends a command that watches, as if nobody read its output any more. */
  readonly outputClosed?: AbortSignal;
  /** Called with each line, when it is printed. */
  readonly onPrinted?: (text: string) => void;
  readonly onComplaint?: (text: string) => void;
}

/** Runs a command line in this process, with a terminal that records the output. */
export async function runCommand(args: readonly string[], context: CommandContext = {}): Promise<CommandRun> {
  const { env = {}, input = "", coloured = false, showStatus, clock = systemClock } = context;
  const printed: string[] = [];
  const complaints: string[] = [];
  const print = (text: string) => {
    printed.push(text);
    context.onPrinted?.(text);
  };
  const code = await run(args, {
    env,
    print,
    printData: print,
    complain: (text) => {
      complaints.push(text);
      context.onComplaint?.(text);
    },
    outputClosed: context.outputClosed ?? new AbortController().signal,
    coloured: { print: coloured, complain: coloured },
    clock,
    ...(showStatus && { showStatus }),
    ...(context.screen && { screen: context.screen }),
    readInput: () => Promise.resolve(Buffer.from(input)),
  });
  return { code, stdout: printed.join("\n"), stderr: complaints.join("\n") };
}
