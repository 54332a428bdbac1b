import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Task, TaskResult } from "./worker.ts";

export type TaskEnd = { readonly type: "done"; readonly result: TaskResult } | { readonly type: "time-out" | "crash" };

interface Settings {
  readonly root: string;
  readonly workers: number;
  readonly seed: number;
}

/** How many tasks a process gets: modules that were loaded are never given back. */
const tasksOfOne = 60;

/** Processes that run tasks, one at a time each. */
export class Pool {
  readonly #settings: Settings;
  readonly #idle: { readonly child: ChildProcess; tasks: number }[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Runs all tasks, and tells how each ended as soon as it has. */
  async run<T extends { readonly task: Task; readonly limitMs: number }>(
    items: readonly T[],
    onEnd: (item: T, ending: TaskEnd) => void,
  ): Promise<void> {
    const waiting = items.values();
    const work = async (): Promise<void> => {
      for (const item of waiting) onEnd(item, await this.#perform(item.task, item.limitMs));
    };
    await Promise.all(Array.from({ length: this.#settings.workers }, work));
  }

  stop(): void {
    for (const { child } of this.#idle.splice(0)) child.kill("SIGKILL");
  }

  async #perform(task: Task, limitMs: number): Promise<TaskEnd> {
    const worker = this.#idle.pop() ?? { child: await this.#started(), tasks: 0 };
    const ending = await endingOf(worker.child, task, limitMs);
    worker.tasks++;
    const reusable = ending.type === "done" && !ending.result.littered && worker.tasks < tasksOfOne;
    if (reusable) this.#idle.push(worker);
    else worker.child.kill("SIGKILL");
    return ending;
  }

  /** A new process, which has loaded what it takes: on a busy machine this takes longer than tests do. */
  async #started(): Promise<ChildProcess> {
    const { root, seed } = this.#settings;
    const child = fork(join(import.meta.dirname, "worker.ts"), {
      cwd: root,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: ["--max-old-space-size=1500", "--disable-warning=ExperimentalWarning"],
      env: { ...process.env, BINNACLE_SEED: String(seed) },
    });
    await once(child, "message");
    return child;
  }
}

async function endingOf(child: ChildProcess, task: Task, limitMs: number): Promise<TaskEnd> {
  const { promise, resolve } = Promise.withResolvers<TaskEnd>();
  const onMessage = (result: TaskResult): void => resolve({ type: "done", result });
  const onExit = (): void => resolve({ type: "crash" });
  const timer = setTimeout(() => resolve({ type: "time-out" }), limitMs);
  child.once("message", onMessage);
  child.once("exit", onExit);
  child.send(task);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.off("message", onMessage);
    child.off("exit", onExit);
  }
}
