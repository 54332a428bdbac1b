/** Counts work in progress, so that others can wait for its end. */
export class Activity {
  #running = 0;
  #begun = 0;
  #quiet: PromiseWithResolvers<void> | undefined;

  /** The number of tasks ever begun. Two equal numbers show that nothing began between them. */
  get begun(): number {
    return this.#begun;
  }

  begin(): void {
    this.#running += 1;
    this.#begun += 1;
  }

  end(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    this.#quiet?.resolve();
    this.#quiet = undefined;
  }

  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    this.#quiet ??= Promise.withResolvers();
    return this.#quiet.promise;
  }
}
