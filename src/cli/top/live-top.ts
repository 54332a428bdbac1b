import { MeshError } from "../../lib/errors.ts";
import type { Terminal } from "../command.ts";
import type { OpenScreen, Screen } from "../text/screen.ts";
import { WakeUp } from "../watch/wake-up.ts";
import { topLines } from "./top-lines.ts";
import { takeSample, type TopSample } from "./top-sample.ts";
import { afterKeys, firstState, type TopState } from "./top-state.ts";
import { topView } from "./top-view.ts";

export interface LiveTopOptions {
  readonly server: string;
  readonly intervalMs: number;
  readonly first: TopSample;
  readonly filter: string;
  readonly screen: Screen;
}

const windowMs = 60_000;

function isComparable(earlier: TopSample, { at, server }: TopSample): boolean {
  return earlier.server.start === server.start && at - earlier.at <= windowMs;
}

/** The live view: samples in turn, keys at any time. Disposing gives the terminal back. */
export class LiveTop implements Disposable {
  readonly #options: LiveTopOptions;
  readonly #terminal: Terminal;
  readonly #wakeUp: WakeUp;
  readonly #open: OpenScreen;
  /** Those of the last minute, the oldest first. */
  #samples: readonly TopSample[];
  #state: TopState;
  #notice: string | undefined;

  constructor(options: LiveTopOptions, terminal: Terminal) {
    this.#options = options;
    this.#terminal = terminal;
    this.#wakeUp = new WakeUp(terminal.clock);
    this.#samples = [options.first];
    this.#state = { ...firstState, filter: options.filter };
    const onKeys = (text: string) => this.#take(text);
    this.#open = options.screen.open({ onKeys, onResize: () => this.#draw() });
  }

  /** Runs until a key or the signal ends it. */
  async run(stopped: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => stopped.addEventListener("abort", () => resolve()));
    stopped.addEventListener("abort", () => this.#wakeUp.call());
    this.#draw();
    while (!stopped.aborted) {
      await this.#wakeUp.wait(this.#options.intervalMs);
      if (stopped.aborted || this.#state.hasEnded) return;
      if (!this.#state.isPaused) await Promise.race([this.#sample(), aborted]);
      this.#draw();
    }
  }

  [Symbol.dispose](): void {
    this.#open[Symbol.dispose]();
  }

  /** A key shows its effect at once. Another filter needs another sample. */
  #take(text: string): void {
    const { filter } = this.#state;
    this.#state = afterKeys(this.#state, text);
    if (this.#state.hasEnded || this.#state.filter !== filter) this.#wakeUp.call();
    else this.#draw();
  }

  async #sample(): Promise<void> {
    const { server } = this.#options;
    try {
      const next = await takeSample(server, this.#state.filter, () => this.#terminal.clock.now());
      // Samples of two servers have no difference.
      const earlier = this.#samples.filter((each) => isComparable(each, next));
      this.#samples = [...earlier, next];
      this.#notice = undefined;
    } catch (thrown) {
      const error = MeshError.from(thrown);
      if (error.code === "internal") throw error;
      this.#notice = `${error.message}; trying again`;
    }
  }

  #draw(): void {
    const { screen, server, first } = this.#options;
    const after = this.#samples.at(-1) ?? first;
    const view = topView(this.#samples.at(-2) ?? after, after, this.#samples[0]);
    const coloured = this.#terminal.coloured.print;
    const options = {
      server,
      state: this.#state,
      now: Date.now(),
      coloured,
      size: screen.size(),
      notice: this.#notice,
    };
    this.#open.draw(topLines(view, options));
  }
}
