import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { codeOf } from "../../../src/lib/errors.ts";
import { type Bound, eventually } from "../../../src/testing/eventually.ts";

export interface ChildOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** In a process group of its own, so that signals reach what it starts (npm and its scripts). */
  readonly group?: boolean;
  /** Pass its output on to our own as well. */
  readonly print?: boolean;
  /** Keep its input open, for `say`. */
  readonly listens?: boolean;
  /** Descriptors of open files for its outputs; what it prints there is not kept. */
  readonly stdout?: number;
  readonly stderr?: number;
}

/** A process under test: its output is kept, and it does not outlive the one that started it. */
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
    // Whoever speaks to a process that has ended hears of it by waiting for its answer.
    this.#process.stdin?.on("error", () => {});
    for (const input of [this.#process.stdout, this.#process.stderr]) {
      if (input !== null) createInterface({ input }).on("line", (line) => this.#lines.push(line));
      if (print) input?.pipe(process.stdout, { end: false });
    }
    const killWithUs = () => this.kill("SIGKILL");
    process.once("exit", killWithUs);
    this.exited = once(this.#process, "close")
      .then(([code, signal]) => code ?? signal)
      .finally(() => {
        process.off("exit", killWithUs);
        this.#running = false;
      });
    // A command that cannot be started: whoever waits for it hears of it, and nobody else.
    this.exited.catch((error: unknown) => this.#lines.push(String(error)));
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Gives it a line to read. */
  say(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** What it has printed on both outputs. */
  log(): string {
    return this.#lines.join("\n");
  }

  /** The first line that matches, printed already or soon. Gives up early when the process has ended. */
  async line(pattern: RegExp, bound: Bound): Promise<RegExpExecArray> {
    const match = await eventually(`a line like ${pattern}`, () => this.#find(pattern), bound).catch(() => "absent");
    if (typeof match === "string") throw new Error(`no line like ${pattern} in:\n${this.log()}`);
    return match;
  }

  /** Does nothing when there is nobody left to hear it. */
  kill(signal: NodeJS.Signals): void {
    if (!this.#group) this.#process.kill(signal);
    else if (this.#process.pid !== undefined && this.#running) killGroup(this.#process.pid, signal);
  }

  /** Asks it to end, insists after some seconds, and resolves when it is gone. */
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
    // Between the end of the last member and our hearing of it.
    if (codeOf(thrown) !== "ESRCH") throw thrown;
  }
}
