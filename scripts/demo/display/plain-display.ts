import type { Scene } from "../observed/scene.ts";
import type { Display } from "./display.ts";
import { plainLines } from "./plain-lines.ts";

/** Prints lines once a second; each tells of the second that has passed. */
export class PlainDisplay implements Display {
  readonly intervalMs = 1_000;
  readonly intervals = 1;
  readonly #print: (line: string) => void;
  #before: Scene | undefined;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  show(scene: Scene): void {
    for (const line of plainLines(this.#before, scene)) this.#print(line);
    this.#before = scene;
  }

  [Symbol.dispose](): void {}
}
