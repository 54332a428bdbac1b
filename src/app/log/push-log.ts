import type { Logger } from "../../lib/logger.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { SentResponse } from "../../xds/stream-observer.ts";

/** Responses belong together until none has left for so long. */
const quietMs = 100;
/** The longest time before they are logged. */
const mostMs = 1_000;

export interface PushLogOptions {
  readonly logger: Logger;
  readonly clock: SupervisedClock;
}

/**
 * Logs sent responses: a line for all responses of one type and cause that leave together, because an edit reaches
 * thousands of proxies at once. The response to each proxy is a debug line. So are endpoints, which change all day.
 */
export class PushLog {
  readonly #logger: Logger;
  readonly #clock: SupervisedClock;
  readonly #open = new Map<string, PushSum>();

  constructor({ logger, clock }: PushLogOptions) {
    this.#logger = logger;
    this.#clock = clock;
  }

  sent(response: Omit<SentResponse, "typeUrl">): void {
    this.#logger.debug(response, "push");
    // Its debug line says the same.
    if (response.cause.every((cause) => cause === "endpoint")) return;
    const key = `${response.type} ${response.cause.join()}`;
    const now = this.#clock.now();
    const open = this.#open.get(key);
    if (open !== undefined) return open.add(response, now);
    if (this.#open.size === 0) this.#lookLater();
    this.#open.set(key, new PushSum(response, now));
  }

  #lookLater(): void {
    this.#clock.after(quietMs, () => this.#look());
  }

  #look(): void {
    const now = this.#clock.now();
    try {
      for (const [key, sum] of this.#open) {
        if (now - sum.lastAt < quietMs && now - sum.firstAt < mostMs) continue;
        this.#open.delete(key);
        this.#logger.info(sum.fields, "push");
      }
    } finally {
      if (this.#open.size > 0) this.#lookLater();
    }
  }
}

/** Responses of one type and cause. */
class PushSum {
  readonly firstAt: number;
  lastAt: number;
  readonly #first: Omit<SentResponse, "typeUrl">;
  readonly #nodes: Set<string>;
  #responses = 1;
  #bytes: number;

  constructor(first: Omit<SentResponse, "typeUrl">, now: number) {
    this.#first = first;
    this.#nodes = new Set([first.node]);
    this.#bytes = first.bytes;
    this.firstAt = now;
    this.lastAt = now;
  }

  add({ node, bytes }: Omit<SentResponse, "typeUrl">, now: number): void {
    this.#nodes.add(node);
    this.#responses++;
    this.#bytes += bytes;
    this.lastAt = now;
  }

  /** Of the single response, or of all together. Proxies may get different resources, so only the bytes are summed. */
  get fields(): object {
    if (this.#responses === 1) return this.#first;
    const { type, cause } = this.#first;
    const [responses, bytes, ms] = [this.#responses, this.#bytes, Math.round(this.lastAt - this.firstAt)];
    return { type, proxies: this.#nodes.size, responses, bytes, cause, ms };
  }
}
