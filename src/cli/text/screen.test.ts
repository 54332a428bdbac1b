import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { processScreen } from "./screen.ts";

function opened() {
  const written: string[] = [];
  const modes: boolean[] = [];
  const keys: string[] = [];
  const input = Object.assign(new EventEmitter(), {
    setRawMode: (raw: boolean) => modes.push(raw),
    resume: () => undefined,
    pause: () => undefined,
  });
  const output = Object.assign(new EventEmitter(), {
    write: (text: string) => written.push(text),
    columns: 0,
    rows: 0,
  });
  const ending = new EventEmitter();
  const screen = processScreen(input as never, output as never, ending as never);
  let resized = 0;
  const open = screen.open({ onKeys: (text) => keys.push(text), onResize: () => resized++ });
  return { screen, open, input, output, ending, written, modes, keys, resized: () => resized };
}

test("a screen takes over the terminal, and gives it back once", () => {
  const { open, input, output, ending, written, modes, keys, resized } = opened();
  input.emit("data", Buffer.from("q"));
  output.emit("resize");
  open.draw(["a", "b"]);
  expect([keys, resized(), modes]).toEqual([["q"], 1, [true]]);
  expect(written).toEqual(["\u001B[?1049h\u001B[?25l\u001B[2J", "\u001B[Ha\u001B[K\r\nb\u001B[K\u001B[J"]);
  open[Symbol.dispose]();
  open[Symbol.dispose]();
  expect(modes).toEqual([true, false]);
  expect(written.slice(2)).toEqual(["\u001B[?25h\u001B[?1049l"]);
  expect([input, output, ending].map((each) => each.eventNames())).toEqual([[], [], []]);
});

test("the end of the process gives the terminal back", () => {
  const { ending, written, modes } = opened();
  ending.emit("exit", 1);
  expect(modes).toEqual([true, false]);
  expect(written.at(-1)).toContain("\u001B[?1049l");
});

test("a terminal that does not tell its size has 80 columns and 24 rows", () => {
  expect(opened().screen.size()).toEqual({ columns: 80, rows: 24 });
});
