import type { WriteStream } from "node:tty";
import type { Scene } from "../observed/scene.ts";
import type { Display } from "./display.ts";
import { frame } from "./frame.ts";
import { lineText, paint } from "./line.ts";

/** The other screen, without a cursor; lines that are too long end at the edge instead of going on below. */
const enter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const leave = "\x1b[?7h\x1b[?25h\x1b[?1049l";
const home = "\x1b[H";

/** Draws on a terminal in place, and leaves it as it was. */
export class Screen implements Display {
  readonly intervalMs = 200;
  readonly intervals = 10;
  readonly #output: WriteStream;
  readonly #restore = () => void this.#output.write(leave);
  #scene: Scene | undefined;
  readonly #redraw = () => this.#scene && this.show(this.#scene);

  constructor(output: WriteStream) {
    this.#output = output;
    output.write(enter);
    output.on("resize", this.#redraw);
    // Whatever ends the process.
    process.once("exit", this.#restore);
  }

  /** One write, over all that was there: nothing is cleared first, so nothing flickers. */
  show(scene: Scene): void {
    this.#scene = scene;
    const { columns, rows } = this.#output;
    const asText = this.#output.hasColors() ? paint : lineText;
    this.#output.write(home + frame(scene, { columns, rows }).map(asText).join("\r\n"));
  }

  [Symbol.dispose](): void {
    this.#output.off("resize", this.#redraw);
    process.off("exit", this.#restore);
    this.#restore();
  }
}
