import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { codeOf } from "../../../src/lib/errors.ts";
import { type Bound, eventually } from "../../../src/testing/eventually.ts";

export interface ChildOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Starts a separate process group, so that signals reach its children (npm and its scripts). */
  readonly group?: boolean;
  /** Also copies its output to ours. */
  readonly print?: boolean;
  /** Keeps its input open, for `say`. */
  readonly listens?: boolean;
  /** Descriptors of open files for its outputs. Output to these files is not kept. */
  readonly stdout?: number;
  readonly stderr?: number;
}

const running = new Set<Child>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A process under test. Its output is kept, and it does not outlive our process. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #group: boolean;
  readonly #lines: string[] = [];
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  #running = true;

  constructor(command: string, args: readonly string[], options: ChildOptions = {}) {
    const { group = false, print = false, listens = false, stdout = "pipe", stderr = "pipe", ...place } = options;
    this.#group = group;
    const stdio = [listens ? "pipe" : "ignore", stdout, stderr] as const;
    this.#process = spawn(command, args, { ...place, detached: group, stdio: [...stdio] });
    // A caller that writes to an ended process learns of the end when it waits for the answer.
    this.#process.stdin?.on("error", () => {});
    for (const input of [this.#process.stdout, this.#process.stderr]) {
      if (input !== null) createInterface({ input }).on("line", (line) => this.#lines.push(line));
      if (print) input?.pipe(process.stdout, { end: false });
    }
    running.add(this);
    this.exited = once(this.#process, "close")
      .then(([code, signal]) => code ?? signal)
      .finally(() => {
        running.delete(this);
        this.#running = false;
      });
    // A command failed to start: only a caller that waits for it gets the error.
    this.exited.catch((error: unknown) => this.#lines.push(String(error)));
  }

  /** Undefined if the process did not start. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Writes a line to its input. */
  say(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** Both outputs so far: for error messages, for lines that must be absent, and for ended processes. */
  log(): string {
    return this.#lines.join("\n");
  }

  /** The matching lines so far: for lines that must be absent, and for counts. */
  linesLike(pattern: RegExp): readonly string[] {
    return this.#lines.filter((line) => pattern.test(line));
  }

  /** The first line with these words, now or soon: lines leave a process a little after the event. */
  async logged(words: string | RegExp, bound: Bound = { seconds: 20 }): Promise<string> {
    const { input } = await this.line(typeof words === "string" ? new RegExp(RegExp.escape(words), "u") : words, bound);
    return input;
  }

  /** The first matching line, now or soon. Fails early when the process has ended. */
  async line(pattern: RegExp, bound: Bound): Promise<RegExpExecArray> {
    const match = await eventually(`a line like ${pattern}`, () => this.#find(pattern), bound).catch(() => "absent");
    if (typeof match === "string") throw new Error(`no line like ${pattern} in:\n${this.log()}`);
    return match;
  }

  /** Does nothing when the process has ended. */
  kill(signal: NodeJS.Signals): void {
    if (!this.#group) this.#process.kill(signal);
    else if (this.#process.pid !== undefined && this.#running) killGroup(this.#process.pid, signal);
  }

  /** Sends SIGTERM, then SIGKILL after some seconds, and resolves when the process is gone. */
  async stop({ seconds }: Bound = { seconds: 10 }): Promise<void> {
    this.kill("SIGTERM");
    const insist = setTimeout(() => this.kill("SIGKILL"), seconds * 1000);
    await this.exited.catch(() => {});
    clearTimeout(insist);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #find(pattern: RegExp): RegExpExecArray | "absent" | undefined {
    for (const line of this.#lines) {
      const match = pattern.exec(line);
      if (match !== null) return match;
    }
    return this.#running ? undefined : "absent";
  }
}

function killGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (thrown) {
    // The last member has ended, but we have not received its exit yet.
    if (codeOf(thrown) !== "ESRCH") throw thrown;
  }
}
