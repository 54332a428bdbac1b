import type { Logger } from "../../lib/logger.ts";
import { createLogger, type LogFormat } from "./logger.ts";
import { stderrDestination } from "./stderr-destination.ts";

/** The log of a process. */
export interface ProcessLog {
  readonly logger: Logger;
  /** How many lines were dropped so far, because nobody read them or there was no room for them. */
  readonly droppedLines: () => number;
}

/** Logs to stderr without ever waiting for it. Lines that were dropped are counted, and told of when there is room. */
export function processLog(format: LogFormat | undefined): ProcessLog {
  const destination = stderrDestination((dropped) => logger.warn({ dropped }, "log lines dropped"));
  const logger = createLogger(destination, format);
  return { logger, droppedLines: () => destination.dropped };
}
