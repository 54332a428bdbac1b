/** Longer lines are data, which is not needed here. */
const keptCharacters = 100;

/**
 * Finds the names of events in a stream of server-sent events. It keeps only the begin of a line, so that a server
 * cannot fill the memory.
 */
export class EventLines {
  #line = "";

  /** The names of the events in this piece of the stream. */
  take(text: string): readonly string[] {
    const [first = "", ...rest] = text.split("\n");
    const lines: string[] = [];
    this.#add(first);
    for (const next of rest) {
      lines.push(this.#line);
      this.#line = "";
      this.#add(next);
    }
    return lines.flatMap((line) => /^event: ?(?<name>\w+)\r?$/u.exec(line)?.groups?.["name"] ?? []);
  }

  #add(text: string): void {
    if (this.#line.length < keptCharacters) this.#line += text.slice(0, keptCharacters - this.#line.length);
  }
}
