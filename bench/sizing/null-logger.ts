import type { Logger } from "../../src/lib/logger.ts";

const nothing = () => undefined;

/** A log that nobody reads. */
export const nullLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => nullLogger,
};
