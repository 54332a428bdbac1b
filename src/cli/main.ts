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

/** Whoever reads us may have seen enough, as `head` does: then the rest goes nowhere, and that is no failure. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

process.stdout.on("error", ignoreBrokenPipe);
process.stderr.on("error", ignoreBrokenPipe);

const terminal: Terminal = {
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  coloured: { print: showsColours(process.stdout), complain: showsColours(process.stderr) },
  readInput: () => buffer(process.stdin),
};
process.exitCode = await run(process.argv.slice(2), terminal, () => process.off("SIGHUP", nothingReadYet));

function showsColours(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}
