#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { buffer } from "node:stream/consumers";
import type { Terminal } from "./command.ts";

// What was compiled once is kept for the next run, among the system's temporary files: that saves a fifth of the time to
// an answer. It has to come before the rest.
enableCompileCache();

// Loading the rest takes a while, in which a server may be told to read again: SIGHUP would end it, and on SIGUSR1 Node
// would open its inspector. Nothing was read yet, so there is nothing to do.
const nothingReadYet = () => {};
process.on("SIGHUP", nothingReadYet).on("SIGUSR1", nothingReadYet);
const { run } = await import("./run.ts");
const { ExitCode } = await import("./command.ts");

/** How long the last lines of the log wait for a reader. */
const farewellMs = 1_000;

/** Why output was lost. A server goes on without it; a command has failed. */
let lost: NodeJS.ErrnoException | undefined;
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader may have seen enough, as `head` does: then the rest goes nowhere, and that is no failure.
  if (error.code === "EPIPE" || lost !== undefined) return;
  lost = error;
  terminal.complain(`stdout cannot be written: ${error.message}`);
});
// There is nowhere to complain of it. Unheard, the event would end a server.
process.stderr.on("error", () => undefined);

const terminal: Terminal = {
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  coloured: { print: showsColours(process.stdout), complain: showsColours(process.stderr) },
  readInput: () => buffer(process.stdin),
};
const exitCode = await run(process.argv.slice(2), terminal, () => process.off("SIGHUP", nothingReadYet));
process.exitCode = lost === undefined ? exitCode : exitCode || ExitCode.problem;
// Output gets all the time that its reader takes. A log that nobody reads must not keep the process.
setTimeout(() => {
  if (process.stdout.writableLength === 0) process.exit();
}, farewellMs).unref();

function showsColours(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}
