import { Signals } from "../../app/process/signals.ts";
import type { DeskEvent } from "../../desk/api/model/events.ts";
import { MeshError } from "../../lib/errors.ts";
import { Backoff } from "../../lib/time/backoff.ts";
import { ExitCode, type Terminal } from "../command.ts";
import { followEvents } from "./follow-events.ts";
import { WakeUp } from "./wake-up.ts";

/** A state that is read again and again. */
export interface Watched<State> {
  /** Throws a `MeshError`. After the first success, the watch goes on after a failure. */
  readonly read: () => Promise<State>;
  readonly show: (state: State) => void;
  readonly exitCode: (state: State) => ExitCode;
  /** The server or the store, for messages. */
  readonly from: string;
  /** Events of this server announce changes. Without them, the state is read every two seconds. */
  readonly events?: { readonly server: string; readonly types: ReadonlySet<DeskEvent["type"]> };
}

const pollMs = 2_000;
/** With live events, polling only finds the few changes that have no event: the pauses grow up to this one. */
const slowPollMs = 10_000;

/**
 * Shows a state and its changes until a signal comes, or until nobody reads stdout any more. The exit code is that of the
 * last state. The first read must succeed, as without a watch.
 */
export async function watch<State>(watched: Watched<State>, terminal: Terminal): Promise<ExitCode> {
  const stop = new AbortController();
  const end = () => stop.abort();
  // A terminal that is closed sends SIGHUP.
  using signals = new Signals({ reload: end });
  void signals.toldToStop.then(end);
  const wakeUp = new WakeUp(terminal.clock);
  const stopped = AbortSignal.any([stop.signal, terminal.outputClosed]);
  stopped.addEventListener("abort", () => wakeUp.call());
  try {
    return await new Watch(watched, terminal, wakeUp).run(stopped);
  } finally {
    end();
  }
}

class Watch<State> {
  readonly #watched: Watched<State>;
  readonly #terminal: Terminal;
  readonly #wakeUp: WakeUp;
  readonly #backoff = new Backoff({ firstMs: 1_000, lastMs: 10_000 });
  readonly #quiet = new Backoff({ firstMs: pollMs, lastMs: slowPollMs });
  #isLive = false;
  #isLost = false;
  #exitCode: ExitCode = ExitCode.ok;

  constructor(watched: Watched<State>, terminal: Terminal, wakeUp: WakeUp) {
    this.#watched = watched;
    this.#terminal = terminal;
    this.#wakeUp = wakeUp;
  }

  async run(stopped: AbortSignal): Promise<ExitCode> {
    const aborted = new Promise<undefined>((resolve) => {
      stopped.addEventListener("abort", () => resolve(undefined));
    });
    const first = await Promise.race([this.#watched.read(), aborted]);
    if (first === undefined) return this.#exitCode;
    this.#take(first);
    void this.#follow(stopped);
    while (!stopped.aborted) {
      await this.#wakeUp.wait(this.#pauseMs());
      if (!stopped.aborted) await Promise.race([this.#readAgain(), aborted]);
    }
    return this.#exitCode;
  }

  #pauseMs(): number {
    if (this.#isLost) return this.#backoff.next();
    return this.#isLive ? this.#quiet.next() : pollMs;
  }

  async #readAgain(): Promise<void> {
    try {
      const state = await this.#watched.read();
      if (this.#isLost) this.#terminal.complain(`${this.#watched.from}: the connection is back`);
      this.#isLost = false;
      this.#backoff.reset();
      this.#take(state);
    } catch (thrown) {
      const error = MeshError.from(thrown);
      if (error.code === "internal") throw error;
      this.#exitCode = ExitCode.problem;
      if (!this.#isLost) this.#terminal.complain(`${error.message}; trying again`);
      this.#isLost = true;
    }
  }

  #take(state: State): void {
    this.#exitCode = this.#watched.exitCode(state);
    this.#watched.show(state);
  }

  /** Opens the stream of events, and opens it again after its end. */
  async #follow(stopped: AbortSignal): Promise<void> {
    const { events } = this.#watched;
    if (events === undefined) return;
    const pause = new WakeUp(this.#terminal.clock);
    stopped.addEventListener("abort", () => pause.call());
    while (!stopped.aborted) {
      await followEvents(events.server, {
        signal: stopped,
        onOpen: () => this.#becomeLive(true),
        onEvent: (type) => {
          if (events.types.has(type)) this.#hurry();
        },
      });
      if (this.#isLive) this.#becomeLive(false);
      if (!stopped.aborted) await pause.wait(pollMs);
    }
  }

  /** Something may have changed before the stream, and after its end. */
  #becomeLive(isLive: boolean): void {
    this.#isLive = isLive;
    this.#hurry();
  }

  #hurry(): void {
    this.#quiet.reset();
    this.#wakeUp.call();
  }
}
