import { errorFrom } from "../../../../lib/errors.ts";
import type { Cancel, Clock } from "../../../../lib/time/clock.ts";
import type { Connection } from "../../../../xds/connection.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import { ObjectProgress, type ProgressFacts, type Question } from "./object-progress.ts";
import type { ObjectReport } from "./object-report.ts";

interface ObjectWaitsOptions {
  readonly facts: ProgressFacts;
  readonly clock: Clock;
  /** The largest number of waits at a time. */
  readonly most?: number;
}

/** Pushes and streams that come and go are looked at together. */
const changePauseMs = 20;
/** Some progress has no event of its own: an overdue answer, a proxy that does not ask, a quarantine that ends. */
const tickMs = 1_000;

/** Answers how far objects are, at once or as soon as a goal is reached. */
export class ObjectWaits {
  readonly #options: ObjectWaitsOptions;
  readonly #open = new Set<ObjectWait>();
  #isChangeDue = false;

  constructor(options: ObjectWaitsOptions) {
    this.#options = options;
  }

  report(question: Question): ObjectReport {
    return new ObjectProgress(question, this.#options.facts).report();
  }

  /**
   * The report when the goal is reached, or cannot be reached, or when the time is over. Undefined if too many clients
   * wait already.
   */
  async reached(question: Question, mostMs: number): Promise<ObjectReport | undefined> {
    const { facts, clock, most = 256 } = this.#options;
    const first = this.report(question);
    if (first.isFinal || mostMs <= 0) return first;
    if (this.#open.size >= most) return undefined;
    const result = Promise.withResolvers<ObjectReport>();
    const wait = new ObjectWait(question, facts, result);
    this.#open.add(wait);
    wait.check();
    const cancelEnd = clock.after(mostMs, () => wait.end());
    const cancelTick = every(clock, tickMs, () => wait.check());
    try {
      return await result.promise;
    } finally {
      this.#open.delete(wait);
      cancelEnd();
      cancelTick();
    }
  }

  /** A proxy answered a response. */
  answered(connection: Connection<Proxy>): void {
    for (const wait of this.#open) wait.answered(connection);
  }

  /** Objects changed, a push began, or a stream came or went. */
  changed(): void {
    if (this.#open.size === 0 || this.#isChangeDue) return;
    this.#isChangeDue = true;
    this.#options.clock.after(changePauseMs, () => {
      this.#isChangeDue = false;
      for (const wait of this.#open) wait.check();
    });
  }
}

function every(clock: Clock, ms: number, work: () => void): Cancel {
  let cancel = clock.after(ms, function tick() {
    work();
    cancel = clock.after(ms, tick);
  });
  return () => cancel();
}

/**
 * One wait. An answer is compared only with the answers that were missing before. Before the wait ends, all streams are
 * looked at again, so a stream that nobody reported cannot be overlooked.
 */
class ObjectWait {
  readonly #question: Question;
  readonly #facts: ProgressFacts;
  readonly #result: PromiseWithResolvers<ObjectReport>;
  #missing = new Set<Connection<Proxy>>();

  constructor(question: Question, facts: ProgressFacts, result: PromiseWithResolvers<ObjectReport>) {
    this.#question = question;
    this.#facts = facts;
    this.#result = result;
  }

  check(): void {
    this.#guarded((progress) => {
      const report = progress.report();
      if (report.isFinal) return this.#result.resolve(report);
      const open = [...progress.connections()].filter((each) => progress.progressOf(each).missing.length > 0);
      this.#missing = new Set(open);
    });
  }

  answered(connection: Connection<Proxy>): void {
    if (!this.#missing.has(connection)) return;
    this.#guarded((progress) => {
      const { missing } = progress.progressOf(connection);
      if (missing.length === 0) this.#missing.delete(connection);
      const isDecided = missing.some(({ isFinal, why }) => isFinal || why === "rejected");
      if (this.#missing.size === 0 || isDecided) this.check();
    });
  }

  /** The time is over. */
  end(): void {
    this.#guarded((progress) => this.#result.resolve(progress.report()));
  }

  /** A bug here must fail the wait, and not the stream whose answer was looked at. */
  #guarded(work: (progress: ObjectProgress) => void): void {
    try {
      work(new ObjectProgress(this.#question, this.#facts));
    } catch (thrown) {
      this.#result.reject(errorFrom(thrown));
    }
  }
}
