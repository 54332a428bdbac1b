import { assert } from "../../lib/assert.ts";
import { errorFrom } from "../../lib/errors.ts";
import { type CloseReason, GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Cancel, Clock } from "../../lib/time/clock.ts";
import { ResourceSet } from "../../xds/resources/resource-set.ts";
import type { CollectionSets } from "../encoded-sets.ts";
import { Journal } from "../journal.ts";
import {
  type PushFacts,
  type RequestFacts,
  type SourceObserver,
  type StreamFacts,
  streamFacts,
} from "../mcp-observer.ts";
import { triggerCollection } from "../trigger.ts";
import { CollectionWatch, type RequestEffect } from "./collection-watch.ts";
import { PendingSubscriptions } from "./pending-subscriptions.ts";
import { PushWriter } from "./push-writer.ts";
import type { RequestBudget } from "./request-budget.ts";
import { readSinkRequest, type SinkRequest } from "./sink-request.ts";
import type { SourceSettings } from "./source-settings.ts";
import type { CollectionStatus, StreamStatus } from "./stream-status.ts";
import { UniqueQueue } from "./unique-queue.ts";

/** State shared by all streams of a source. */
export interface SourceContext {
  /** The names of the served collections. */
  readonly collections: ReadonlySet<string>;
  readonly sets: CollectionSets;
  readonly settings: SourceSettings;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly observer: SourceObserver;
}

/** If the socket queue holds more than this, the stream waits until it is flushed. */
const busyBytes = 64 * 1024;

/** Subscriptions to unknown collections may wait too, up to this number. */
const maxUnknownWaiting = 64;

const unknownSet = ResourceSet.empty.versioned("0");

/** One watch with its timers. */
interface Watched {
  readonly watch: CollectionWatch;
  sentAt: number;
  cancelTimer: Cancel;
}

/** One sink on one stream. Due pushes leave in the order in which they became due, when the stream is writable. */
export class SourceStream {
  readonly facts: StreamFacts;
  readonly #stream: GrpcStream;
  readonly #context: SourceContext;
  readonly #openedAt: number;
  readonly #watches = new Map<string, Watched>();
  readonly #queue: UniqueQueue;
  readonly #waitingRoom: PendingSubscriptions;
  readonly #journal = new Journal();
  readonly #writer: PushWriter;
  #nodeId = "";

  constructor(id: number, stream: GrpcStream, context: SourceContext) {
    this.facts = streamFacts(id, stream.peer);
    this.#stream = stream;
    this.#context = context;
    this.#openedAt = context.clock.now();
    this.#writer = new PushWriter(stream, this.facts, context.observer);
    this.#queue = new UniqueQueue({ depth: context.collections.size });
    this.#waitingRoom = new PendingSubscriptions({
      clock: context.clock,
      budget: context.budget,
      identity: this.facts.identity || hostOf(this.facts.peer),
      capacity: context.collections.size + maxUnknownWaiting,
      admit: (request) => this.#guarded(() => this.#take(request)),
    });
  }

  get status(): StreamStatus {
    return {
      ...this.facts,
      nodeId: this.#nodeId,
      openedAt: this.#openedAt,
      collections: Array.from(this.#watches.values(), statusOf),
      queue: this.#queue.dump(),
      recentRequests: this.#journal.entries,
    };
  }

  trigger(): void {
    this.#writer.trigger();
  }

  receive(bytes: Uint8Array): void {
    this.#guarded(() => {
      const request = this.#read(bytes);
      if (request === undefined || isTriggerRefused(request)) return;
      this.#nodeId = request.nodeId;
      this.#note(request);
      if (request.nonce !== "") return this.#take(request);
      this.#admit(request);
    });
  }

  /** These collections may have new content. */
  changed(collections: ReadonlySet<string>): void {
    this.#guarded(() => {
      for (const name of collections) if (this.#watches.has(name)) this.#enqueue(name);
      this.pump();
    });
  }

  /** Sends due pushes while the stream is writable. */
  pump(): void {
    while (!this.#stream.closed && this.#stream.queued <= busyBytes) {
      const name = this.#queue.dequeue();
      if (name === undefined) return;
      const watched = this.#watches.get(name);
      assert(watched !== undefined, "only what was asked for is queued");
      const set = this.#context.sets.get(name);
      if (set !== undefined && watched.watch.isDue(set)) this.#push(watched, set);
    }
  }

  flushed(): void {
    this.#guarded(() => this.pump());
  }

  end(status: GrpcStatus, message: string): void {
    this.#stream.end(status, message);
  }

  /** The stream has ended: releases all its state. */
  closed(reason: CloseReason): void {
    this.#queue.close();
    this.#waitingRoom.clear();
    for (const { cancelTimer } of this.#watches.values()) cancelTimer();
    this.#watches.clear();
    this.#context.observer.closed(this.facts, reason);
  }

  #read(bytes: Uint8Array): SinkRequest | undefined {
    try {
      return readSinkRequest(bytes);
    } catch {
      this.end(GrpcStatus.INVALID_ARGUMENT, "this is no RequestResources");
      return undefined;
    }
  }

  #note(request: SinkRequest): void {
    const { collection, nonce, incremental, nack: error } = request;
    this.#journal.add({ at: this.#context.clock.now(), collection, nonce, incremental, ...(error && { error }) });
    this.#context.observer.requested(this.#factsOf(request));
  }

  /** Subscriptions need budget. Answers to pushes need none, because each push has one answer. */
  #admit(request: SinkRequest): void {
    const outcome = this.#waitingRoom.enter(request);
    if (outcome === "admitted") return;
    this.#context.observer.throttled(this.#factsOf(request));
    if (outcome === "full") this.end(GrpcStatus.RESOURCE_EXHAUSTED, "too many subscriptions at a time");
  }

  #take(request: SinkRequest): void {
    if (!this.#context.collections.has(request.collection)) return this.#takeUnknown(request);
    const watched = this.#watches.get(request.collection) ?? this.#watch(request);
    const verdict = watched?.watch.take(request) ?? { type: "stale" };
    this.#tell(request, verdict, watched?.sentAt ?? 0);
    if (watched === undefined || verdict.type === "stale") return;
    watched.cancelTimer();
    if (verdict.type === "nacked") this.#retryLater(watched, verdict.nack.code);
    this.#enqueue(request.collection);
    this.pump();
  }

  /** Nothing about unknown collections is stored, so a peer cannot fill our memory with names. */
  #takeUnknown(request: SinkRequest): void {
    this.#context.observer.unknownCollection(this.#factsOf(request));
    const { collection, nonce } = request;
    if (this.#context.settings.unknownCollections === "reject") {
      return this.end(GrpcStatus.INVALID_ARGUMENT, `unsupported collection ${JSON.stringify(collection)}`);
    }
    if (nonce === "") this.#writer.send(this.#writer.prepare(collection, unknownSet, { type: "full" }));
  }

  /** Undefined for an answer without a subscription. */
  #watch({ collection, nonce }: SinkRequest): Watched | undefined {
    if (nonce !== "") return undefined;
    const watch = new CollectionWatch(collection, this.#context.settings.incremental(collection));
    const watched = { watch, sentAt: 0, cancelTimer: () => undefined };
    this.#watches.set(collection, watched);
    return watched;
  }

  #enqueue(collection: string): void {
    assert(this.#queue.enqueue(collection), "a queue has room for every collection that is served");
  }

  #push(watched: Watched, set: ResourceSet): void {
    const { settings, clock } = this.#context;
    const { watch } = watched;
    const push = this.#writer.prepare(watch.collection, set, watch.contentOf());
    watch.sent(push.facts.nonce, set);
    watched.sentAt = clock.now();
    watched.cancelTimer();
    watched.cancelTimer = clock.after(settings.ackWarnMs, () => this.#overdue(watched, push.facts));
    this.#writer.send(push);
  }

  #overdue(watched: Watched, push: PushFacts): void {
    const { settings, clock, observer } = this.#context;
    const age = clock.now() - watched.sentAt;
    observer.ackOverdue(push, age);
    if (settings.ackResetMs === undefined) return;
    watched.cancelTimer = clock.after(settings.ackResetMs - age, () =>
      this.end(GrpcStatus.UNAVAILABLE, `${push.collection}: no answer for ${settings.ackResetMs} ms`),
    );
  }

  /** A temporary rejection is retried later. An invalid version is not sent again until it changes. */
  #retryLater(watched: Watched, code: number): void {
    const { settings, clock } = this.#context;
    if (code === GrpcStatus.INVALID_ARGUMENT) return;
    const delay = Math.min(settings.nackRetry.maxMs, settings.nackRetry.minMs * 2 ** (watched.watch.nacks - 1));
    watched.cancelTimer = clock.after(delay, () =>
      this.#guarded(() => {
        watched.watch.retry();
        this.#enqueue(watched.watch.collection);
        this.pump();
      }),
    );
  }

  #tell(request: SinkRequest, verdict: RequestEffect, sentAt: number): void {
    const { observer, clock } = this.#context;
    const facts = this.#factsOf(request);
    if (verdict.type === "stale") return observer.stale({ ...facts, version: "", ms: 0 }, request.nack);
    if (verdict.type === "subscribed") return;
    const answer = { ...facts, version: verdict.set.version, ms: clock.now() - sentAt };
    if (verdict.type === "acked") observer.acked(answer);
    else observer.nacked(answer, verdict.nack);
  }

  #factsOf({ collection, nonce, bytes }: SinkRequest): RequestFacts {
    return { ...this.facts, collection, nonce, bytes };
  }

  /** A bug on one stream ends only that stream. The sink will open it again. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#context.observer.failed(this.facts, errorFrom(thrown));
      this.end(GrpcStatus.INTERNAL, "internal error");
    }
  }
}

/** A sink does not know the trigger collection and rejects it. This answer is expected (SRC-3). */
function isTriggerRefused({ collection, nack }: SinkRequest): boolean {
  return collection === triggerCollection && nack?.code === GrpcStatus.UNIMPLEMENTED;
}

/** Without authentication, all connections of one machine count as one identity. */
function hostOf(address: string): string {
  return address.replace(/:\d+$/, "");
}

function statusOf({ watch, sentAt }: Watched): CollectionStatus {
  const { collection, sentVersion, ackedVersion, lastNack, pending } = watch;
  return { collection, sentVersion, ackedVersion, lastNack, sentAt, pendingNonce: pending?.nonce };
}
