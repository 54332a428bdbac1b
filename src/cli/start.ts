import { enableCompileCache } from "node:module";
import { buffer } from "node:stream/consumers";
import { boundYoungGeneration } from "../app/process/small-heap.ts";
import type { Terminal } from "./command.ts";
import { mapStacks } from "./mapped-stacks.ts";
import { processScreen } from "./text/screen.ts";
import { waitingClock } from "./waiting-clock.ts";

/** Time that the last lines of the log wait for a reader. */
const farewellMs = 1_000;

/** Runs the command line of this process. `onLoaded` is called right before the command itself runs. */
export async function start(onLoaded: () => void): Promise<void> {
  boundYoungGeneration();
  // Keeps compiled code in a temporary directory for the next run, which makes commands a fifth faster. This must come
  // before the rest is loaded.
  enableCompileCache();
  mapStacks();
  const { run } = await import("./run.ts");
  const { ExitCode } = await import("./command.ts");
  /** The reason for lost output. A server continues without output; a command fails. */
  let lost: NodeJS.ErrnoException | undefined;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader such as `head` may close early. The rest of the output is dropped, which is no failure.
    outputClosed.abort();
    if (error.code === "EPIPE" || lost !== undefined) return;
    lost = error;
    terminal.complain(`stdout cannot be written: ${error.message}`);
    // A short command has ended by now.
    process.exitCode ||= ExitCode.problem;
  });
  // Nowhere is left to report the error. Without a listener, the event would end a server.
  process.stderr.on("error", () => undefined);
  const exitCode = await run(process.argv.slice(2), terminal, onLoaded);
  process.exitCode = lost === undefined ? exitCode : exitCode || ExitCode.problem;
  // Output waits for its reader. A log without a reader must not keep the process alive.
  setTimeout(() => {
    if (process.stdout.writableLength === 0) process.exit();
  }, farewellMs).unref();
}

const outputClosed = new AbortController();

const terminal: Terminal = {
  env: process.env,
  print: writeLine,
  printData: writeLine,
  complain: (line) => void process.stderr.write(`${line}\n`),
  ...(process.stderr.isTTY && { showStatus: (text: string) => void process.stderr.write(`\r\u001B[K${text}`) }),
  ...(process.stdin.isTTY && process.stdout.isTTY && { screen: processScreen(process.stdin, process.stdout, process) }),
  outputClosed: outputClosed.signal,
  clock: waitingClock,
  coloured: { print: showsColours(process.stdout), complain: showsColours(process.stderr) },
  readInput: () => buffer(process.stdin),
};

function writeLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

function showsColours(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}
