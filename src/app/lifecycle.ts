import { MeshError } from "../lib/errors.ts";

/** Something that runs between a start and a stop; `stop` resolves when it is quiet. */
export interface Component {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts in order and stops in reverse, once each. When one cannot start, those before it are stopped again. A stop
 * during the start is a cancelled start.
 */
export class Lifecycle implements Component {
  readonly #components: readonly Component[];
  readonly #running: Component[] = [];
  #stopped = false;

  constructor(components: readonly Component[]) {
    this.#components = components;
  }

  async start(): Promise<void> {
    try {
      for (const component of this.#components) {
        if (this.#stopped) throw new MeshError("cancelled", "stopped before everything had started");
        this.#running.push(component);
        await component.start();
      }
    } catch (thrown) {
      await this.stop();
      throw thrown;
    }
  }

  /** One that fails to stop does not keep the others running; its error is thrown at the end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const failures: unknown[] = [];
    for (let component = this.#running.pop(); component !== undefined; component = this.#running.pop()) {
      await component.stop().catch((thrown: unknown) => failures.push(thrown));
    }
    if (failures.length > 0) throw new AggregateError(failures, "not everything stopped cleanly");
  }
}
