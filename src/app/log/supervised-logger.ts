import type { Logger } from "../../lib/logger.ts";
import type { ReportFailure } from "../../lib/supervisor.ts";

/**
 * Wraps a logger so that it never throws. It reports a line that cannot be written, and tries the next line again. The
 * whole pipeline writes log lines, and a throw there would end a stream or the process.
 */
export function supervisedLogger(logger: Logger, report: ReportFailure): Logger {
  let isReporting = false;
  const reportOnce = (thrown: unknown, message: string) => {
    // The report is a log line as well.
    if (isReporting) return;
    isReporting = true;
    try {
      report(thrown, { line: message });
    } finally {
      isReporting = false;
    }
  };
  const supervised = (inner: Logger): Logger => {
    const at = (level: "debug" | "info" | "warn" | "error") => (fields: object, message: string) => {
      try {
        inner[level](fields, message);
      } catch (thrown) {
        reportOnce(thrown, message);
      }
    };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      child: (fields) => supervised(inner.child(fields)),
    };
  };
  return supervised(logger);
}
