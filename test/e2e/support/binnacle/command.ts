import { execFile } from "node:child_process";
import { main, root } from "../checkout.ts";
import { Child, type ChildOptions } from "../child.ts";

export interface CommandOptions extends ChildOptions {
  /** A command that becomes the command after it: `prlimit`, `unshare`, a shell with `exec "$@"`. */
  readonly within?: readonly string[];
}

/** Starts `binnacle` with these arguments in a separate process. */
export function binnacle(args: readonly string[], { within = [], ...options }: CommandOptions = {}): Child {
  const [command = process.execPath, ...rest] = [...within, process.execPath, main, ...args];
  return new Child(command, rest, options);
}

/** The exit code and the output of a process. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface EndedOptions {
  /** Default: the checkout. */
  readonly cwd?: string;
  /** Standard input. */
  readonly input?: string;
}

/** Runs any command to its end, which must come soon: an open watcher would keep it alive. */
export function ended(command: string, args: readonly string[], options: EndedOptions = {}): Promise<Ended> {
  const { cwd = root, input = "" } = options;
  return new Promise((settle, fail) => {
    const bounds = { cwd, timeout: 60_000, maxBuffer: 1 << 26 };
    const child = execFile(command, args, bounds, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") settle({ code, stdout, stderr });
      else fail(error ?? new Error("no exit code"));
    });
    // A command may end before it has read its input.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** Runs `binnacle` with these arguments to its end. Where the process does not matter, `runCommand` is faster. */
export function binnacleEnded(args: readonly string[], options?: EndedOptions): Promise<Ended> {
  return ended(process.execPath, [main, ...args], options);
}
