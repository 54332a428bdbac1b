import { assert } from "../../lib/assert.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";

/** Something that runs between a start and a stop. */
export interface Component {
  /** For the log. */
  readonly name: string;
  /** Resolves when it runs. After a rejection, nothing is left running, and `stop` is not called. */
  start(): Promise<void>;
  /** Resolves when it is quiet. A call during the start cancels the start. */
  stop(): Promise<void>;
}

/** A component whose start or stop has nothing to wait for. */
export function component(
  name: string,
  run: { readonly start: () => unknown; readonly stop: () => unknown },
): Component {
  return {
    name,
    start: async () => void (await run.start()),
    stop: async () => void (await run.stop()),
  };
}

/** Wraps a component, so that its start errors name the flag of the component. */
export function withFlagNamed(flagged: Component): Component {
  return {
    ...flagged,
    start: () =>
      flagged.start().catch((thrown: unknown) => {
        const { code, message } = MeshError.from(thrown);
        throw new MeshError(code, `--${flagged.name}: ${message}`, { cause: thrown });
      }),
  };
}

export interface LifecycleOptions {
  /** In the order of their start. */
  readonly components: readonly Component[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** A component that takes longer to stop is abandoned, so that the others still stop. */
  readonly stopWithinMs: number;
}

/** One start, until it is stopped. */
interface Run {
  /** Rejects with the stop. */
  readonly cancelled: Promise<never>;
  readonly cancel: () => void;
}

/**
 * Starts components in order and stops them in reverse. If one cannot start, the ones before it are stopped. A stop
 * during the start cancels the start. A stopped lifecycle can start again.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #running: Component[] = [];
  #run: Run | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    assert(this.#run === undefined, "a running lifecycle is stopped before it starts again");
    const run = newRun();
    this.#run = run;
    try {
      await Promise.allSettled([this.#stopping]);
      for (const each of this.#options.components) await this.#startOne(each, run);
    } catch (thrown) {
      // The start error is thrown; stop errors are only logged.
      if (this.#run === run) await this.stop().catch(() => undefined);
      throw thrown;
    }
  }

  /** If one component fails to stop, the others still stop. The error is thrown at the end. */
  stop(): Promise<void> {
    this.#run?.cancel();
    this.#run = undefined;
    this.#stopping ??= this.#stopAll().finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  async #startOne(each: Component, run: Run): Promise<void> {
    if (this.#run !== run) return await run.cancelled;
    this.#running.push(each);
    try {
      await Promise.race([run.cancelled, each.start()]);
    } catch (thrown) {
      if (this.#running.at(-1) === each) this.#running.pop();
      throw thrown;
    }
    this.#options.logger.debug({ component: each.name }, "started");
  }

  async #stopAll(): Promise<void> {
    const failures: Error[] = [];
    for (let each = this.#running.pop(); each !== undefined; each = this.#running.pop()) {
      try {
        await this.#stopOne(each);
        this.#options.logger.debug({ component: each.name }, "stopped");
      } catch (thrown) {
        this.#options.logger.error({ component: each.name, err: thrown }, "not stopped");
        failures.push(errorFrom(thrown));
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "not everything stopped cleanly");
  }

  async #stopOne(each: Component): Promise<void> {
    const { clock, stopWithinMs } = this.#options;
    const { promise: overdue, reject } = Promise.withResolvers<never>();
    const giveUp = clock.after(stopWithinMs, () => {
      reject(new MeshError("timeout", `${each.name} did not stop within ${stopWithinMs} ms`));
    });
    try {
      await Promise.race([each.stop(), overdue]);
    } finally {
      giveUp();
    }
  }
}

function newRun(): Run {
  const { promise: cancelled, reject } = Promise.withResolvers<never>();
  // Usually nothing awaits this promise: a stop after the start cancels nothing.
  cancelled.catch(() => undefined);
  return {
    cancelled,
    cancel: () => reject(new MeshError("cancelled", "stopped before the start was complete")),
  };
}
