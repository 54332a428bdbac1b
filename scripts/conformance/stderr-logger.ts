import type { Logger } from "../../src/lib/logger.ts";

/** Trouble, for whoever runs the script by hand. */
export const stderrLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  error: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  child: () => stderrLogger,
};
