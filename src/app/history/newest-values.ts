/** The newest values of a number that grows with its key, such as the moment of each commit. Old ones are forgotten. */
export class NewestValues {
  readonly #most: number;
  #keys: number[] = [];
  #values: number[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** The key must be larger than all before. */
  add(key: number, value: number): void {
    // An equal value needs no place of its own.
    if (this.#values.at(-1) === value) return;
    this.#keys.push(key);
    this.#values.push(value);
    if (this.#keys.length < 2 * this.#most) return;
    this.#keys = this.#keys.slice(-this.#most);
    this.#values = this.#values.slice(-this.#most);
  }

  /** The oldest value that is not forgotten. */
  get first(): number | undefined {
    return this.#values[0];
  }

  /** The value of the largest key that is not larger. Undefined before the first one. */
  at(key: number): number | undefined {
    const index = this.#keys.findLastIndex((each) => each <= key);
    return this.#values[index];
  }
}
