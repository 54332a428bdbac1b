import type { Logger } from "../../lib/logger.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: object;
  readonly message: string;
}

/** A logger that prints nothing and remembers everything; children write into the same list. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[];
  readonly #inherited: object;

  constructor(lines: LogLine[] = [], inherited: object = {}) {
    this.lines = lines;
    this.#inherited = inherited;
  }

  /** The messages of one level, in order. */
  messages(level: LogLine["level"]): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }

  debug(fields: object, message: string): void {
    this.#write("debug", fields, message);
  }

  info(fields: object, message: string): void {
    this.#write("info", fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write("warn", fields, message);
  }

  error(fields: object, message: string): void {
    this.#write("error", fields, message);
  }

  child(fields: object): RecordingLogger {
    return new RecordingLogger(this.lines, { ...this.#inherited, ...fields });
  }

  #write(level: LogLine["level"], fields: object, message: string): void {
    this.lines.push({ level, fields: { ...this.#inherited, ...fields }, message });
  }
}
