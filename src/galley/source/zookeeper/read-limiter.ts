import type { Session } from "./session.ts";

/** Limits parallel reads on one connection. A registry with thousands of interfaces must not overload its server. */
export class ReadLimiter {
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
