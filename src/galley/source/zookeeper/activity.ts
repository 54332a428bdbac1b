/** Counts what is under way, so that others can wait until nothing is. */
export class Activity {
  #running = 0;
  #begun = 0;
  #quiet: PromiseWithResolvers<void> | undefined;

  /** How much was ever begun: two equal numbers mean that nothing was between them. */
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
