import type { Session } from "./session.ts";

/** Reads through one connection, a few at a time: a registry with thousands of interfaces must not drown its server. */
export class Lane {
  readonly session: Session;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(session: Session, width: number) {
    this.session = session;
    this.#free = width;
  }

  async read<T>(read: (session: Session) => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await read(this.session);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
