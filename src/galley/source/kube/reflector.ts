import type { KubeClient } from "../../../kube/kube-client.ts";
import { KubeError } from "../../../kube/kube-error.ts";
import { type Listed, listPages } from "../../../kube/list.ts";
import { openWatch, type WatchEvent } from "../../../kube/watch.ts";
import { overLimit } from "../../../lib/bounded/limit.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import { Backoff } from "../../../lib/time/backoff.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Pauses } from "../../../lib/time/pauses.ts";

/** What is reflected, and who is told. Nothing is told any longer once the signal has aborted. */
export interface Reflection extends Pick<Listed, "metadataOnly" | "labelSelector"> {
  /** The path it is served at, or undefined where it is not served. Asked at first, and when the path is gone. */
  locate(signal: AbortSignal): Promise<string | undefined>;
  /** Everything there is will be told, to the pass. */
  begin(): Pass;
  change(events: readonly WatchEvent[]): Promise<void>;
  /** It is not served: there is nothing. */
  absent(): void;
  /** All that happened so far has been told, and what happens now will be. */
  following(): void;
  /** It cannot be followed for now. It is tried again, and what was told stays. */
  failed(error: Error): void;
}

/** One look at everything. A pass that is not ended never was. */
export interface Pass {
  take(events: readonly WatchEvent[]): Promise<void>;
  /** That was all: what is known and was not told is gone. */
  end(): void;
}

/** What is shared by all that is reflected from one server. */
export interface Reflecting {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether it sends everything there is at the start of a watch; some do not, and then it is listed. */
  readonly server: { watchList: boolean };
  /** Of those who cannot get through. The first who does ends them for all. */
  readonly outage: Pauses;
}

/** Large enough for few requests, small enough to be parsed in a moment. */
const pageSize = 200;
/** How long a watch lasts, as far as we are concerned; up to twice as long, so that not all end together. */
const watchSeconds = 300;
/** Servers send a bookmark every minute, where nothing else happens. */
const silenceMs = 150_000;
/** One that does not begin to send what there is will not. */
const silenceAtFirstMs = 10_000;
/** What was missed comes at once. After this time nothing was. */
const settleMs = 1000;
const firstPauseMs = 100;
const lastPauseMs = 10_000;
/** For what is not served: whoever defines it wakes us, but perhaps we may not know of definitions. */
const firstAbsenceMs = 250;
const lastAbsenceMs = 30_000;

const initialEventsEnd = "k8s.io/initial-events-end";

/**
 * Follows one resource of an API server for ever: reads everything, watches from there, resumes where a watch ended,
 * and reads everything anew where that is no longer possible.
 */
export class Reflector {
  readonly #reflecting: Reflecting;
  readonly #reflection: Reflection;
  readonly #signal: AbortSignal;
  readonly #failures: Backoff;
  readonly #absences: Backoff;
  /** Our own pauses, which an outage that ends does not. */
  readonly #alone: Pauses;
  #path: string | undefined;
  /** From where to watch; undefined while everything has to be read. */
  #version: string | undefined;
  /** Whether this attempt has got as far as that nothing is missed. */
  #following = false;
  #inOutage = false;

  constructor(reflection: Reflection, reflecting: Reflecting, signal: AbortSignal) {
    this.#reflection = reflection;
    this.#reflecting = reflecting;
    this.#signal = signal;
    const { random, clock } = reflecting;
    this.#alone = new Pauses(clock, signal);
    const jitter = { share: 0.25, random };
    this.#failures = new Backoff({ firstMs: firstPauseMs, lastMs: lastPauseMs, jitter });
    this.#absences = new Backoff({ firstMs: firstAbsenceMs, lastMs: lastAbsenceMs, jitter });
  }

  /** Resolves when the signal has aborted; never rejects. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const ms = await this.#attempt();
      await (this.#inOutage ? this.#reflecting.outage : this.#alone).wait(ms);
    }
  }

  /** It may be served now, or elsewhere: looks soon, if it is not being watched. */
  nudge(): void {
    this.#absences.reset();
    this.#alone.end();
  }

  /** Returns how long to wait before the next. */
  async #attempt(): Promise<number> {
    const startedAt = this.#reflecting.clock.now();
    this.#following = false;
    try {
      this.#path ??= await this.#reflection.locate(this.#signal);
      if (this.#path === undefined) return this.#isAbsent();
      if (this.#version === undefined) await this.#readAndWatch(this.#path);
      else await this.#watch(this.#path, { resourceVersion: this.#version });
      const lastedMs = this.#reflecting.clock.now() - startedAt;
      return lastedMs < settleMs ? this.#failures.next() : 0;
    } catch (thrown) {
      return this.#signal.aborted ? 0 : this.#after(errorFrom(thrown));
    }
  }

  #isAbsent(): number {
    this.#version = undefined;
    this.#gotThrough();
    this.#reflection.absent();
    return this.#absences.next();
  }

  #after(error: Error): number {
    const refusal = error instanceof KubeError ? error : undefined;
    // Who is refused has got through.
    if (refusal !== undefined && this.#inOutage) this.#failures.reset();
    if (refusal?.isExpired || refusal?.isAheadOfServer) this.#version = undefined;
    else if (refusal?.code === 404) this.#path = undefined;
    // Whether it is still too much is only seen by reading all of it.
    else if (isOverLimit(error)) {
      this.#version = undefined;
      this.#reflection.failed(error);
    }
    // What worked until it broke is resumed. Whether that works is another question.
    else if (!this.#following) {
      this.#reflection.failed(error);
      this.#inOutage = isOutage(error);
    }
    return this.#failures.next(refusal?.retryAfterMs);
  }

  async #readAndWatch(path: string): Promise<void> {
    const { server } = this.#reflecting;
    if (!server.watchList) {
      await this.#list(path);
      return;
    }
    const initially = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", resourceVersion: "" };
    try {
      await this.#watch(path, initially, this.#reflection.begin());
    } catch (thrown) {
      if (this.#version !== undefined || !isRefusal(thrown)) throw thrown;
      server.watchList = false;
      await this.#list(path);
    }
  }

  /** Pages of one moment are only to be had for so long: where that was too short, all of it at once. */
  async #list(path: string): Promise<void> {
    const version = await this.#listPages(path, pageSize).catch((error: unknown) => {
      if (error instanceof KubeError && error.isExpired) return this.#listPages(path, 0);
      throw error;
    });
    this.#synced(version);
    await this.#watch(path, { resourceVersion: version });
  }

  async #listPages(path: string, limit: number): Promise<string> {
    const pass = this.#reflection.begin();
    let version = "";
    for await (const { items, resourceVersion } of listPages(this.#reflecting.client, this.#listed(path), limit)) {
      await pass.take(items.map((object) => ({ type: "ADDED", object })));
      version = resourceVersion;
    }
    this.#signal.throwIfAborted();
    pass.end();
    return version;
  }

  #synced(version: string): void {
    this.#version = version;
    this.#follows();
  }

  /** Until the watch ends. With a pass, the events are what there is, up to a mark among them. */
  async #watch(path: string, from: Readonly<Record<string, string>>, pass?: Pass): Promise<void> {
    const { client, clock, random } = this.#reflecting;
    let open = pass;
    const initially = new InitialBounds(client, path);
    const events = await openWatch(client, {
      ...this.#listed(path),
      query: { ...from, timeoutSeconds: `${Math.round(watchSeconds * (1 + random()))}` },
      clock,
      silenceMs: () => (open === undefined ? silenceMs : silenceAtFirstMs),
    });
    const settled = open === undefined ? clock.after(settleMs, () => this.#follows()) : () => {};
    try {
      for await (const batch of events) {
        this.#signal.throwIfAborted();
        if (open !== undefined) initially.count(batch.filter(isOfObject).length);
        open = await this.#take(batch, open);
        settled();
      }
    } finally {
      settled();
    }
    if (open !== undefined) throw new MeshError("peer-protocol", "the watch ended before all there is was told");
  }

  /** Returns the pass while it is not ended. */
  async #take(batch: readonly WatchEvent[], pass: Pass | undefined): Promise<Pass | undefined> {
    const end = pass === undefined ? -1 : batch.findIndex(isInitialEventsEnd);
    const version = batch.at(-1)?.object.metadata.resourceVersion ?? "";
    if (pass !== undefined && end < 0) {
      await pass.take(batch.filter(isOfObject));
      return pass;
    }
    if (pass !== undefined) {
      await pass.take(batch.slice(0, end).filter(isOfObject));
      pass.end();
      this.#synced(version);
    }
    await this.#reflection.change(batch.slice(end + 1).filter(isOfObject));
    this.#version = version;
    if (pass === undefined) this.#follows();
    return undefined;
  }

  #follows(): void {
    this.#following = true;
    this.#gotThrough();
    this.#reflection.following();
  }

  #gotThrough(): void {
    if (this.#inOutage) this.#reflecting.outage.end();
    this.#inOutage = false;
    this.#failures.reset();
  }

  #listed(path: string): Listed {
    const { metadataOnly, labelSelector } = this.#reflection;
    return { path, metadataOnly, labelSelector, signal: this.#signal };
  }
}

/** All that a watch tells at first is a list, and as limited. */
class InitialBounds {
  readonly #client: KubeClient;
  readonly #what: string;
  readonly #startedAt: number;
  #objects = 0;

  constructor(client: KubeClient, path: string) {
    this.#client = client;
    this.#what = `all that the API server tells of ${path}`;
    this.#startedAt = client.now();
  }

  count(objects: number): void {
    const { listObjects, listMs } = this.#client.limits;
    this.#objects += objects;
    if (this.#objects > listObjects) throw overLimit(this.#what, listObjects, "objects", this.#objects);
    const ms = this.#client.now() - this.#startedAt;
    if (ms > listMs) throw overLimit(this.#what, listMs, "ms", Math.round(ms));
  }
}

function isOverLimit(error: Error): boolean {
  return error instanceof MeshError && error.code === "limit-exceeded";
}

function isOfObject({ type }: WatchEvent): boolean {
  return type !== "BOOKMARK";
}

function isInitialEventsEnd({ type, object }: WatchEvent): boolean {
  return type === "BOOKMARK" && object.metadata.annotations[initialEventsEnd] === "true";
}

/** What ends for all at once. A server that names a time wants to be left alone for that long. */
function isOutage(error: Error): boolean {
  return error instanceof KubeError ? error.code >= 500 && error.retryAfterMs === 0 : true;
}

/** How servers say that they do not know what was asked for, or their storage does not; or they say nothing at all. */
function isRefusal(error: unknown): boolean {
  if (error instanceof KubeError) return [400, 405, 406, 422, 500, 501].includes(error.code);
  return error instanceof MeshError && error.code === "timeout";
}
