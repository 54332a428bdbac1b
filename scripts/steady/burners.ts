import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";

/** Keeps every core busy with something else until it is disposed of. The processes also end with this one. */
export class Burners implements AsyncDisposable {
  readonly #processes: readonly ChildProcess[];

  constructor(count = availableParallelism()) {
    // A burner reads its input, which ends with us: it never outlives a run that was killed.
    const program =
      "process.stdin.on('end', () => process.exit()).resume(); (function burn() { const end = Date.now() + 50; while (Date.now() < end); setImmediate(burn); })()";
    this.#processes = Array.from({ length: count }, () =>
      spawn(process.execPath, ["-e", program], { stdio: ["pipe", "ignore", "ignore"] }),
    );
  }

  get pids(): readonly number[] {
    return this.#processes.flatMap(({ pid }) => pid ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#processes.map(async (each) => {
        const exited = each.exitCode === null && each.signalCode === null ? once(each, "exit") : undefined;
        each.kill("SIGKILL");
        await exited;
      }),
    );
  }
}
