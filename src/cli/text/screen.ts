/** A terminal that a command draws on as a whole. */
export interface Screen {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Takes over the terminal until the result is disposed. */
  readonly open: (handlers: ScreenHandlers) => OpenScreen;
}

export interface ScreenHandlers {
  /** Keys as they were typed, possibly several at once. */
  readonly onKeys: (text: string) => void;
  readonly onResize: () => void;
}

/** Disposing gives the terminal back as it was. */
export interface OpenScreen extends Disposable {
  readonly draw: (lines: readonly string[]) => void;
}

/** Another page of the terminal, so that the text before stays; no cursor. */
const enter = "\u001B[?1049h\u001B[?25l\u001B[2J";
const leave = "\u001B[?25h\u001B[?1049l";

type Input = Pick<NodeJS.ReadStream, "setRawMode" | "on" | "off" | "resume" | "pause">;
type Output = Pick<NodeJS.WriteStream, "write" | "on" | "off" | "columns" | "rows">;
type Ending = Pick<NodeJS.Process, "on" | "off">;

/** The screen of this process. Its end, however it comes, gives the terminal back. */
export function processScreen(input: Input, output: Output, ending: Ending): Screen {
  return {
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    open({ onKeys, onResize }) {
      const onData = (bytes: Buffer | string) => onKeys(bytes.toString());
      let isOpen = true;
      const close = () => {
        if (!isOpen) return;
        isOpen = false;
        ending.off("exit", close);
        output.off("resize", onResize);
        input.off("data", onData);
        input.setRawMode(false);
        input.pause();
        output.write(leave);
      };
      ending.on("exit", close);
      output.on("resize", onResize);
      input.setRawMode(true);
      input.on("data", onData).resume();
      output.write(enter);
      return {
        // Each line ends with its rest cleared, so that nothing blinks.
        draw: (lines) => void output.write(`\u001B[H${lines.map((line) => `${line}\u001B[K`).join("\r\n")}\u001B[J`),
        [Symbol.dispose]: close,
      };
    },
  };
}
