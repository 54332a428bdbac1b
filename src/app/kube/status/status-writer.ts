import { areStoredConditions } from "../../../config/analysis/status-condition.ts";
import { isStoredForm } from "../../../config/analysis/status-messages.ts";
import type { SupervisedClock } from "../../../lib/supervisor.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import type { ObjectId } from "../../store/object-id.ts";
import type { Led } from "../lease/leader-election.ts";
import { WorkQueue } from "../work-queue.ts";
import type { FoundStatus, StatusContent, StatusObjects } from "./status-objects.ts";
import type { WantedStatus } from "./wanted-status.ts";

/** The result of writing the status of one object. */
export type WriteResult = "written" | "removed" | "unchanged" | "outdated" | "absent" | "failed";

export interface StatusWriterOptions {
  readonly objects: StatusObjects;
  readonly clock: SupervisedClock;
  /** Whether this process analyzed the object. The status of other objects stays. */
  readonly isOurs: (object: ObjectId) => boolean;
  readonly onResult: (result: WriteResult) => void;
  /** An object, or a kind, could not be read or written. It is tried again. */
  readonly onFailure: (subject: string, error: unknown) => void;
  /** The comparison of actual and wanted status failed, which is a bug. The writer retries. */
  readonly onError: (error: unknown) => void;
}

/** Twenty writes per second: thousands of objects take minutes, without load for the API server. */
const paceMs = 50;

/** Other processes may have overwritten our messages. */
const resyncMs = 10 * 60_000;

/** The pause after a failed listing. */
const retryMs = 60_000;

/** The last known status of an object, and the version of the object that it is about. */
interface Settled extends Pick<FoundStatus, "conditions"> {
  readonly object: ObjectId;
  readonly messages: unknown;
  readonly version: string | undefined;
}

/**
 * Keeps `status.validationMessages` of objects equal to the last analysis, and our conditions equal to the quarantine
 * and the rollouts, while it is started. Reads every object before the write. Skips an object that has changed since the analysis, because a newer report follows.
 */
export class StatusWriter implements Led {
  readonly #options: StatusWriterOptions;
  readonly #queue: WorkQueue;
  #wanted: ReadonlyMap<string, WantedStatus> | undefined;
  /** Undefined until all statuses are listed. */
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

  /** Takes the newest report. Objects outside the report get no messages. Nothing is written before the first. */
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

  /** Lists all statuses, because earlier leaders and other processes may have written some. */
  async #look(signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options;
    let waitMs = resyncMs;
    try {
      await this.#lookOnce(signal);
    } catch (thrown) {
      // Nothing awaits this promise before the stop, so a rejection would end the process.
      onError(thrown);
      waitMs = retryMs;
    }
    if (signal.aborted) return;
    this.#cancelResync = clock.after(waitMs, () => {
      this.#looking = this.#look(signal);
    });
  }

  async #lookOnce(signal: AbortSignal): Promise<void> {
    const { objects, onFailure } = this.#options;
    const failed = (subject: string, error: unknown) => {
      if (!signal.aborted) onFailure(subject, error);
    };
    const found = await objects.list(signal, failed);
    if (signal.aborted) return;
    this.#settled = new Map(found.map(({ key, ...settled }) => [key, settled]));
    this.#compare();
  }

  #compare(): void {
    if (this.#wanted === undefined || this.#settled === undefined) return;
    for (const [key, wanted] of this.#wanted) {
      if (isSettled(wanted, this.#settled.get(key))) this.#options.onResult("unchanged");
      else this.#queue.add(key);
    }
    for (const [key, { object, messages, conditions }] of this.#settled) {
      const isLeft = (messages !== undefined || conditions.length > 0) && !this.#wanted.has(key);
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
    const { messages = [], conditions = [], version } = wanted ?? {};
    const content = { messages, conditions };
    if (found === undefined) return this.#isAbsent(key, wanted);
    if (isStored(content, found)) return this.#became(key, { ...found, object }, "unchanged");
    if (version !== undefined && version !== found.version) return "outdated";
    const stored = await this.#options.objects.write(object, found, content);
    if (stored === undefined) return this.#isAbsent(key, wanted);
    const isEmpty = messages.length === 0 && conditions.length === 0;
    return this.#became(key, { ...stored, object }, isEmpty ? "removed" : "written");
  }

  #became(key: string, settled: Settled, result: WriteResult): WriteResult {
    this.#settled?.set(key, settled);
    return result;
  }

  /** The object was derived from others, or is gone. Nothing to do until the next report changes it. */
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

function isSettled(wanted: WantedStatus, settled: Settled | undefined): boolean {
  const { version } = wanted;
  return isStored(wanted, settled) && (version === undefined || version === settled?.version);
}

function isStored(
  { messages, conditions }: StatusContent,
  stored: Pick<Settled, "messages" | "conditions"> | undefined,
): boolean {
  return isStoredForm(stored?.messages, messages) && areStoredConditions(stored?.conditions ?? [], conditions);
}
