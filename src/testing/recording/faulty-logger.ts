import { type LogLine, RecordingLogger } from "./recording-logger.ts";

/** A recording logger that throws on chosen lines, as one whose destination is broken. */
export class FaultyLogger extends RecordingLogger {
  readonly #faulty: Set<string>;

  constructor(lines: LogLine[] = [], inherited: object = {}, faulty = new Set<string>()) {
    super(lines, inherited);
    this.#faulty = faulty;
  }

  /** From now on, lines with this message throw. */
  failOn(message: string): void {
    this.#faulty.add(message);
  }

  override debug(fields: object, message: string): void {
    this.#check(message);
    super.debug(fields, message);
  }

  override info(fields: object, message: string): void {
    this.#check(message);
    super.info(fields, message);
  }

  override warn(fields: object, message: string): void {
    this.#check(message);
    super.warn(fields, message);
  }

  override error(fields: object, message: string): void {
    this.#check(message);
    super.error(fields, message);
  }

  override child(fields: object): FaultyLogger {
    return new FaultyLogger(this.lines, fields, this.#faulty);
  }

  #check(message: string): void {
    if (this.#faulty.has(message)) throw new Error("planted");
  }
}
