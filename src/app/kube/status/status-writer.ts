import { isStoredForm } from "../../../config/analysis/status-messages.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { ObjectId } from "../../store/object-id.ts";
import type { Led } from "../lease/leader-election.ts";
import { WorkQueue } from "../work-queue.ts";
import type { FoundStatus, StatusObjects } from "./status-objects.ts";
import type { WantedStatus } from "./wanted-status.ts";

/** What became of one object's status. */
export type WriteResult = "written" | "removed" | "unchanged" | "outdated" | "absent" | "failed";

export interface StatusWriterOptions {
  readonly objects: StatusObjects;
  readonly clock: Clock;
  /** Whether an object was looked at: what is said of others, and by others, stays. */
  readonly isOurs: (object: ObjectId) => boolean;
  readonly onResult: (result: WriteResult) => void;
  /** An object, or a kind, could not be read or written. It is tried again. */
  readonly onFailure: (subject: string, error: unknown) => void;
}

/** Twenty a second: a mesh of thousands of objects takes minutes, and nobody feels it. */
const paceMs = 50;

/** Somebody may have written what is ours. */
const resyncMs = 10 * 60_000;

/** What the status of an object says, as far as we know, and of which version of it. */
interface Settled {
  readonly object: ObjectId;
  readonly messages: unknown;
  readonly version: string | undefined;
}

/**
 * Brings `status.validationMessages` of objects to what analysis last said of them, while it is started. Every object is
 * read before it is written, and left alone when it is no longer the one that was looked at: a newer report follows.
 */
export class StatusWriter implements Led {
  readonly #options: StatusWriterOptions;
  readonly #queue: WorkQueue;
  #wanted: ReadonlyMap<string, WantedStatus> | undefined;
  /** Undefined until all statuses were looked at. */
  #settled: Map<string, Settled> | undefined;
  #looking: Promise<void> = Promise.resolve();
  #run: AbortController | undefined;
  #cancelResync: Cancel = () => undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    const { clock, onResult, onFailure } = options;
    this.#queue = new WorkQueue({
      clock,
      paceMs,
      work: (key) => this.#write(key),
      onFailure: (key, error) => {
        onResult("failed");
        onFailure(key, error);
      },
    });
  }

  /** The newest report: what it does not speak of has nothing to say. Before the first nothing is written. */
  want(wanted: ReadonlyMap<string, WantedStatus>): void {
    this.#wanted = wanted;
    this.#compare();
  }

  start(): void {
    const run = new AbortController();
    this.#run = run;
    this.#queue.start();
    this.#looking = this.#look(run.signal);
  }

  async stop(): Promise<void> {
    this.#run?.abort();
    this.#run = undefined;
    this.#cancelResync();
    await Promise.all([this.#looking, this.#queue.stop()]);
    this.#settled = undefined;
  }

  /** Whoever wrote before us, and whatever was written since: it is known only by asking. */
  async #look(signal: AbortSignal): Promise<void> {
    const { objects, clock, onFailure } = this.#options;
    const failed = (subject: string, error: unknown) => {
      if (!signal.aborted) onFailure(subject, error);
    };
    const found = await objects.list(signal, failed);
    if (signal.aborted) return;
    this.#settled = new Map(found.map(({ key, ...settled }) => [key, settled]));
    this.#compare();
    this.#cancelResync = clock.after(resyncMs, () => {
      this.#looking = this.#look(signal);
    });
  }

  #compare(): void {
    if (this.#wanted === undefined || this.#settled === undefined) return;
    for (const [key, wanted] of this.#wanted) {
      if (isSettled(wanted, this.#settled.get(key))) this.#options.onResult("unchanged");
      else this.#queue.add(key);
    }
    for (const [key, { object, messages }] of this.#settled) {
      const isLeft = messages !== undefined && !this.#wanted.has(key);
      if (isLeft && this.#options.isOurs(object)) this.#queue.add(key);
    }
  }

  async #write(key: string): Promise<void> {
    const wanted = this.#wanted?.get(key);
    const object = wanted?.object ?? this.#settled?.get(key)?.object;
    if (object === undefined) return;
    const found = await this.#options.objects.read(object);
    this.#options.onResult(await this.#settle(key, { object, wanted, found }));
  }

  async #settle(key: string, { object, wanted, found }: Question): Promise<WriteResult> {
    const { messages = [], version } = wanted ?? {};
    if (found === undefined) return this.#isAbsent(key, wanted);
    if (isStoredForm(found.messages, messages)) return this.#became(key, { ...found, object }, "unchanged");
    if (version !== undefined && version !== found.version) return "outdated";
    const stored = await this.#options.objects.write(object, found, messages);
    if (stored === undefined) return this.#isAbsent(key, wanted);
    return this.#became(key, { ...stored, object }, messages.length === 0 ? "removed" : "written");
  }

  #became(key: string, settled: Settled, result: WriteResult): WriteResult {
    this.#settled?.set(key, settled);
    return result;
  }

  /** It was made of other objects, or is gone: nothing is to be done until something else is said of it. */
  #isAbsent(key: string, wanted: WantedStatus | undefined): WriteResult {
    if (wanted === undefined) this.#settled?.delete(key);
    else this.#settled?.set(key, wanted);
    return "absent";
  }
}

interface Question {
  readonly object: ObjectId;
  readonly wanted: WantedStatus | undefined;
  readonly found: FoundStatus | undefined;
}

function isSettled({ messages, version }: WantedStatus, settled: Settled | undefined): boolean {
  const { messages: stored } = settled ?? {};
  return isStoredForm(stored, messages) && (version === undefined || version === settled?.version);
}
