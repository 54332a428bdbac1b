import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { MeshError } from "../../../src/index.ts";

/** How long a process may take to end before it is killed. */
const graceMs = 3_000;
/** The longest part of its stderr that fits into a sentence. */
const complaintLength = 400;

export interface DemoProcessOptions {
  /** The name in sentences about the process. */
  readonly name: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A process that the demo started, and that does not outlive the demo. */
export class DemoProcess implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #name: string;
  readonly #exited: Promise<unknown>;
  #said = "";
  #running = true;

  constructor(command: string, args: readonly string[], { name, env = process.env }: DemoProcessOptions) {
    this.#name = name;
    // In its own process group: only the demo receives Ctrl-C, and it ends the child.
    const child = spawn(command, args, { env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    this.#process = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#remember(text));
    // A caller that writes to an ended process learns of the end when it waits for the answer.
    child.stdin.on("error", () => {});
    const endWithUs = () => child.kill("SIGKILL");
    process.once("exit", endWithUs);
    this.#exited = once(child, "close")
      .then(([code, signal]) => this.#remember(` (${signal ?? code})`))
      .catch((error: unknown) => this.#remember(String(error)))
      .finally(() => {
        process.off("exit", endWithUs);
        this.#running = false;
      });
  }

  /** Set once the process has ended: `unavailable`, with the end of its stderr, and its exit code or signal. */
  get complaint(): MeshError | undefined {
    if (this.#running) return undefined;
    return new MeshError("unavailable", `${this.#name} has ended: ${this.#said.trim()}`);
  }

  say(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** The next line of its output. Throws the complaint when there will be none. */
  async nextLine(): Promise<string> {
    const next = await this.#lines.next();
    if (next.done !== true) return next.value;
    await this.#exited;
    throw this.complaint;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGTERM");
    const insist = setTimeout(() => this.#process.kill("SIGKILL"), graceMs);
    await this.#exited;
    clearTimeout(insist);
  }

  #remember(text: string): void {
    this.#said = (this.#said + text).slice(-complaintLength);
  }
}
