import type { Flag } from "../app/options/flags.ts";
import type { MeshErrorCode } from "../lib/errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Screen } from "./text/screen.ts";

/** The parts of the process that a command may use. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints text for people. All three functions add the end of the line. */
  readonly print: (text: string) => void;
  /** Prints data for programs, always in full. For the other two, `run` cuts long lines. */
  readonly printData: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Replaces the current line of a terminal; absent elsewhere. "" clears the line. */
  readonly showStatus?: (text: string) => void;
  /** Absent if the input or the output is not a terminal. */
  readonly screen?: Screen;
  /** Aborted when nobody reads stdout any more. A command that would print for ever ends then. */
  readonly outputClosed: AbortSignal;
  /** Decides when a status is due. */
  readonly clock: Clock;
  /** Whether colours may be used: only on a terminal. */
  readonly coloured: { readonly print: boolean; readonly complain: boolean };
  /** Reads all of stdin. */
  readonly readInput: () => Promise<Buffer>;
}

/** A flag as `--help` shows it. */
export interface DocumentedFlag extends Flag {
  /** Placeholder of the value; empty for a switch. */
  readonly placeholder: string;
  readonly doc: string;
  /** The default value as text; empty without a default. */
  readonly default: string;
  /** The heading that `--help` lists it under; absent where a command has few flags. */
  readonly theme?: string;
}

/** The exit codes that scripts rely on. */
export const ExitCode = { ok: 0, problem: 1, usage: 2 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The exit code of a command that fails with this error code. */
export function exitCodeOf(code: MeshErrorCode): ExitCode {
  return code === "bad-option" ? ExitCode.usage : ExitCode.problem;
}

/** One word after `binnacle`, as `binnacle --help` lists it. */
export interface ListedCommand {
  readonly name: string;
  /** A shorter name, as istioctl has it. */
  readonly alias?: string;
  readonly summary: string;
  /** Loads only the code of this command: a whole server takes a second to load, and few commands need one. */
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** A command, without its name and summary. */
export interface Command {
  /** The arguments after the name: `[DIR…] [flags]`. */
  readonly usage: string;
  readonly flags: readonly DocumentedFlag[];
  /** The allowed first arguments; absent if the first argument is a path or a name. */
  readonly words?: readonly string[];
  readonly examples: readonly string[];
  /** The meaning of `ExitCode.problem`; absent if the command never returns it. */
  readonly problem?: string;
  /** Throws a `MeshError`: `bad-option` is wrong usage, everything else a problem. */
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode>;
}
