/** How long a server may keep a client waiting for what it must say, before the run has failed. */
const patienceMs = 10_000;

/** Letters come in at one end and are waited for at the other, one by one. */
export class Mailbox<T> {
  readonly #letters: T[] = [];
  #closed: string | undefined;
  #wake: () => void = () => undefined;

  put(letter: T): void {
    this.#letters.push(letter);
    this.#wake();
  }

  close(why: string): void {
    this.#closed = why;
    this.#wake();
  }

  async next(): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("the server does not answer")), patienceMs);
    try {
      for (;;) {
        const letter = this.#letters.shift();
        if (letter !== undefined) return letter;
        if (this.#closed !== undefined) throw new Error(this.#closed);
        await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), late]);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
