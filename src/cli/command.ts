import type { Flag } from "../app/options/flags.ts";
import type { MeshErrorCode } from "../lib/errors.ts";

/** What a command may touch of the process it runs in. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Data, and nothing else. Both add the end of the line. */
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Where colours may be used: only where a person looks. */
  readonly coloured: { readonly print: boolean; readonly complain: boolean };
  /** All that is piped in. */
  readonly readInput: () => Promise<Buffer>;
}

/** A flag as `--help` shows it. */
export interface DocumentedFlag extends Flag {
  /** Stands for its value; empty for a switch. */
  readonly placeholder: string;
  readonly doc: string;
  /** What holds without it; empty when nothing does. */
  readonly default: string;
}

/** The exit codes that scripts rely on. */
export const ExitCode = { ok: 0, problem: 1, usage: 2 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** What a command ends with that fails with an error of this code. */
export function exitCodeOf(code: MeshErrorCode): ExitCode {
  return code === "bad-option" ? ExitCode.usage : ExitCode.problem;
}

/** One word after `binnacle`, as `binnacle --help` lists it. */
export interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  /** Its code, and no other command's: a whole server takes a second to load, and few commands need one. */
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** What a command is, beside its name and what it is good for. */
export interface Command {
  /** What follows the name: `[DIR…] [flags]`. */
  readonly usage: string;
  readonly flags: readonly DocumentedFlag[];
  readonly examples: readonly string[];
  /** What `ExitCode.problem` means; absent if it never ends so. */
  readonly problem?: string;
  /** Throws a `MeshError`: `bad-option` is wrong usage, everything else a problem. */
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode>;
}
