import type { KubeClient } from "../../../kube/kube-client.ts";
import { KubeError } from "../../../kube/kube-error.ts";
import { type Listed, listPages } from "../../../kube/list.ts";
import { openWatch, type WatchEvent } from "../../../kube/watch.ts";
import { overLimit } from "../../../lib/bounded/limit.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import { Backoff } from "../../../lib/time/backoff.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Pauses } from "../../../lib/time/pauses.ts";

/** The resource to reflect, and the receiver of its changes. After the signal aborts, nothing is called. */
export interface Reflection extends Pick<Listed, "metadataOnly" | "labelSelector" | "fieldSelector"> {
  /** The path of the resource, or undefined if it is not served. Called at first, and when the path is gone. */
  locate(signal: AbortSignal): Promise<string | undefined>;
  /** Starts a full read into the returned pass. */
  begin(): FullRead;
  change(events: readonly WatchEvent[]): Promise<void>;
  /** The resource is not served: it has no objects. */
  absent(): void;
  /** All changes so far have been reported, and new changes will be. */
  following(): void;
  /** The resource cannot be followed now. The reflector retries, and the reported objects stay. */
  failed(error: Error): void;
}

/** One full read. A pass that does not end has no effect. */
export interface FullRead {
  take(events: readonly WatchEvent[]): Promise<void>;
  /** The read is complete: known objects that were not repeated are gone. */
  end(): void;
}

/** State shared by all reflectors of one server. */
export interface ReflectorContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether the server sends the initial objects on a watch (WatchList). If not, the reflector lists them. */
  readonly server: { watchList: boolean };
  /** Shared pauses while the server is unreachable. The first success ends them for all reflectors. */
  readonly outage: Pauses;
}

/** Large enough for few requests, small enough to parse in a moment. */
const pageSize = 200;
/**
 * The requested duration of a watch. The actual value is up to twice as long, so that watches do not all end together.
 */
const watchSeconds = 300;
/** Servers send a bookmark every minute if nothing else happens. */
const silenceMs = 150_000;
/** A server that has not started to send initial objects by then never will. */
const silenceAtFirstMs = 10_000;
/** A server may end a watch early, for instance when it stops. One that ends so many in a row is not followed. */
const maxEndedAtOnce = 3;
/** Missed changes arrive at once. After this time none is missing. */
const settleMs = 1000;
const firstPauseMs = 100;
const lastPauseMs = 10_000;
/**
 * Retry interval for a resource that is not served. A new CRD wakes the reflector, but we may lack permission to see
 * CRDs.
 */
const firstAbsenceMs = 250;
const lastAbsenceMs = 30_000;

const initialEventsEnd = "k8s.io/initial-events-end";

/**
 * Follows one resource of an API server forever. It reads everything, watches from there, and resumes where a watch
 * ended. If it cannot resume, it reads everything again.
 */
export class Reflector {
  readonly #reflecting: ReflectorContext;
  readonly #reflection: Reflection;
  readonly #signal: AbortSignal;
  readonly #failures: Backoff;
  readonly #absences: Backoff;
  /** The reflector's own pauses, which the end of an outage does not end. */
  readonly #alone: Pauses;
  #path: string | undefined;
  /** The version to watch from. Undefined while a full read is needed. */
  #version: string | undefined;
  /** Whether this attempt has caught up with all changes. */
  #following = false;
  #inOutage = false;
  /** Watches in a row that ended properly, too early to miss nothing and without an event. */
  #endedAtOnce = 0;

  constructor(reflection: Reflection, reflecting: ReflectorContext, signal: AbortSignal) {
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

  /** The resource may be served now, or at another path. Retries soon, unless a watch is running. */
  nudge(): void {
    this.#absences.reset();
    this.#alone.end();
  }

  /** Returns the delay before the next attempt. */
  async #attempt(): Promise<number> {
    const startedAt = this.#reflecting.clock.now();
    this.#following = false;
    try {
      this.#path ??= await this.#reflection.locate(this.#signal);
      if (this.#path === undefined) return this.#isAbsent();
      if (this.#version === undefined) await this.#readAndWatch(this.#path);
      else await this.#watch(this.#path, { resourceVersion: this.#version });
      const lastedMs = this.#reflecting.clock.now() - startedAt;
      if (lastedMs >= settleMs) return 0;
      if (!this.#following && ++this.#endedAtOnce >= maxEndedAtOnce)
        throw new MeshError("peer-protocol", "the API server ends every watch at once");
      return this.#failures.next();
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
    // A refused request has reached the server.
    if (refusal !== undefined && this.#inOutage) this.#failures.reset();
    if (refusal?.isExpired || refusal?.isAheadOfServer) this.#version = undefined;
    else if (refusal?.code === 404) this.#path = undefined;
    // Only a full read shows whether the size is still over the limit.
    else if (isOverLimit(error)) {
      this.#version = undefined;
      this.#reflection.failed(error);
    }
    // An attempt that worked until it broke is resumed. The resume itself may still fail.
    else if (!this.#following) {
      this.#reflection.failed(error);
      this.#inOutage = isOutage(error);
      // A server may come back restored from a backup, with other objects under the versions that we know.
      if (this.#inOutage) this.#version = undefined;
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

  /**
   * A server keeps the pages of one snapshot only for a limited time. If that expires, the list is read in one request.
   */
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

  /** Runs until the watch ends. With a pass, the events up to a bookmark are the initial objects. */
  async #watch(path: string, from: Readonly<Record<string, string>>, pass?: FullRead): Promise<void> {
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
    if (open !== undefined)
      throw new MeshError("peer-protocol", "the watch ended before the initial list was complete");
  }

  /** Returns the pass while it is not complete. */
  async #take(batch: readonly WatchEvent[], pass: FullRead | undefined): Promise<FullRead | undefined> {
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
    this.#endedAtOnce = 0;
    this.#gotThrough();
    this.#reflection.following();
  }

  #gotThrough(): void {
    if (this.#inOutage) this.#reflecting.outage.end();
    this.#inOutage = false;
    this.#failures.reset();
  }

  #listed(path: string): Listed {
    const { metadataOnly, labelSelector, fieldSelector } = this.#reflection;
    return { path, metadataOnly, labelSelector, fieldSelector, signal: this.#signal };
  }
}

/** The initial objects of a watch are a list, with the same limits. */
class InitialBounds {
  readonly #client: KubeClient;
  readonly #what: string;
  readonly #startedAt: number;
  #objects = 0;

  constructor(client: KubeClient, path: string) {
    this.#client = client;
    this.#what = `the API server's content of ${path}`;
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

/**
 * Failures that end for all reflectors together. A server that sends Retry-After is no outage: it gets a pause of that
 * length.
 */
function isOutage(error: Error): boolean {
  return error instanceof KubeError ? error.code >= 500 && error.retryAfterMs === 0 : true;
}

/**
 * The errors of a server, or of its storage, that does not know the requested feature. Some servers send nothing at
 * all.
 */
function isRefusal(error: unknown): boolean {
  if (error instanceof KubeError) return [400, 405, 406, 422, 500, 501].includes(error.code);
  return error instanceof MeshError && error.code === "timeout";
}
