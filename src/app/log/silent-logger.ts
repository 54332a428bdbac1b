import type { Logger } from "../../lib/logger.ts";

const nothing = () => undefined;

/** For those who do not want to hear anything. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLogger,
};
