import { execFile } from "node:child_process";
import { main, root } from "../checkout.ts";
import { Child, type ChildOptions } from "../child.ts";

/** `binnacle` with these arguments in a process of its own, whatever comes of it. */
export function binnacle(args: readonly string[], options: ChildOptions = {}): Child {
  return new Child(process.execPath, [main, ...args], options);
}

/** How a process ended, and what it said. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface EndedOptions {
  /** The checkout unless given. */
  readonly cwd?: string;
  /** What is piped in. */
  readonly input?: string;
}

/** Any command to its end, which must come soon: a watcher that was left open would keep it alive. */
export function ended(command: string, args: readonly string[], options: EndedOptions = {}): Promise<Ended> {
  const { cwd = root, input = "" } = options;
  return new Promise((settle, fail) => {
    const bounds = { cwd, timeout: 60_000, maxBuffer: 1 << 26 };
    const child = execFile(command, args, bounds, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") settle({ code, stdout, stderr });
      else fail(error ?? new Error("no exit code"));
    });
    child.stdin?.end(input);
  });
}

/** `binnacle` with these arguments, to its end. Where the process is not the point, `runCommand` is quicker. */
export function binnacleEnded(args: readonly string[], options?: EndedOptions): Promise<Ended> {
  return ended(process.execPath, [main, ...args], options);
}
