import { fstatSync, write, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { systemClock } from "../process/system-clock.ts";
import { FileDestination, type LogFile } from "./file-destination.ts";
import type { LogDestination } from "./log-destination.ts";
import { StreamDestination } from "./stream-destination.ts";

const stderr = 2;
/** Some thousand lines. */
const maxQueuedBytes = 1 << 20;

const stderrFile: LogFile = {
  write: (bytes, done) => write(stderr, bytes, done),
  writeSync: (bytes) => writeSync(stderr, bytes),
};

/** Logs to stderr, whatever it is. Node writes to files in the way of everything else, so those are not left to it. */
export function stderrDestination(onRecovered: (dropped: number) => void): LogDestination {
  const kind = fstatSync(stderr);
  if (kind.isFIFO() || kind.isSocket() || isatty(stderr)) {
    return new StreamDestination(process.stderr, { maxQueuedBytes, onRecovered });
  }
  const file = new FileDestination(stderrFile, { clock: systemClock, maxQueuedBytes, onRecovered });
  process.once("exit", () => file.flushSync());
  return file;
}
