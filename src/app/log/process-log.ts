import type { Logger } from "../../lib/logger.ts";
import { createLogger, type LogFormat, stderrFormat } from "./logger.ts";
import { stderrDestination } from "./stderr-destination.ts";

/** The log of a process. */
export interface ProcessLog {
  readonly logger: Logger;
  /** Number of dropped lines so far, because of a stalled reader or a full disk. */
  readonly droppedLines: () => number;
  readonly stderrFormat: LogFormat;
}

/** Logs to stderr and never waits for it. Dropped lines are counted, and reported when there is room. */
export function processLog(format: LogFormat | undefined): ProcessLog {
  const destination = stderrDestination((dropped) => logger.warn({ dropped }, "log lines dropped"));
  const logger = createLogger(destination, format);
  return { logger, droppedLines: () => destination.dropped, stderrFormat: stderrFormat(format) };
}
