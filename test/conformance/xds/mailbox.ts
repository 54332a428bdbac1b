/** Letters come in at one end and are waited for at the other, one by one. */
export class Mailbox<T> {
  readonly #letters: T[] = [];
  #closed: string | undefined;
  #wake: () => void = () => undefined;

  put(letter: T): void {
    this.#letters.push(letter);
    this.#wake();
  }

  /** Nothing will come any more, for this reason. */
  close(why: string): void {
    this.#closed = why;
    this.#wake();
  }

  async next(): Promise<T> {
    for (;;) {
      const letter = this.#letters.shift();
      if (letter !== undefined) return letter;
      if (this.#closed !== undefined) throw new Error(this.#closed);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
