import type { Logger } from "../../lib/logger.ts";

const nothing = () => undefined;

/** Discards all lines. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLogger,
};
