import type { Resources } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { countFields } from "../../lib/bounded/count-fields.ts";
import { compareTexts } from "../../lib/compare.ts";
import { errorFrom } from "../../lib/errors.ts";
import { type CloseReason, GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { McpCollection } from "../collections.ts";
import { Journal, type JournalEntry } from "../journal.ts";
import {
  type PushFacts,
  type RejectedResource,
  type SinkObserver,
  type StreamFacts,
  streamFacts,
} from "../mcp-observer.ts";
import type { Nack } from "../nack.ts";
import { triggerCollection } from "../trigger.ts";
import { baseOf } from "./base-of.ts";
import { encodeSinkRequest, type SinkNode, type SinkRequestFields } from "./encode-sink-request.ts";
import { HeldCollection } from "./held-collection.ts";
import type { SinkLimits } from "./held-sizes.ts";
import { readPush, readResources } from "./read-push.ts";
import type { SinkUpdater } from "./sink-updater.ts";

/** The most fields of a message. Streams that we open have the same limit, but peers may open these. */
const maxFields = 250_000;

interface SinkCollection {
  readonly collection: McpCollection;
  /** Whether to request deltas instead of full state. */
  readonly incremental: boolean;
}

export interface SinkOptions {
  /** The origin of the objects, such as `mcp://galley:9901`. */
  readonly sourceName: string;
  readonly node: SinkNode;
  readonly collections: readonly SinkCollection[];
  readonly updater: SinkUpdater;
  readonly clock: Clock;
  readonly observer: SinkObserver;
  /** Whether an unreadable resource rejects only itself or the whole message. Only itself by default. */
  readonly unreadable?: "reject-resource" | "reject-message";
  /** Overrides of the default limits per collection. */
  readonly limits?: SinkLimits;
}

/** One open stream. */
interface Active {
  readonly stream: GrpcStream;
  readonly facts: StreamFacts;
  /** The collections without a push so far, each with the versions announced to the source. Undefined for none. */
  readonly unheard: Map<string, ReadonlyMap<string, string> | undefined>;
}

/** The held state of a collection. */
export interface HeldStatus {
  readonly collection: string;
  readonly systemVersion: string | undefined;
  /** False after the updater threw at a message: it may hold a part of that message. */
  readonly certain: boolean;
  readonly resources: number;
}

/**
 * Keeps the collections of an updater equal to those of a source, over one stream at a time. The held state survives
 * streams, so a new stream resumes where the last one ended. Either side may dial.
 */
export class Sink {
  readonly #options: SinkOptions;
  readonly #held: ReadonlyMap<string, HeldCollection>;
  readonly #journal = new Journal();
  #active: Active | undefined;
  #lastId = 0;
  /** The source could not accept the full list of held versions. For one stream the sink announces nothing. */
  #resumeWithout = false;

  constructor(options: SinkOptions) {
    this.#options = options;
    const sorted = options.collections.toSorted((a, b) => compareTexts(a.collection.name, b.collection.name));
    this.#held = new Map(
      sorted.map(({ collection, incremental }) => [
        collection.name,
        new HeldCollection(collection, incremental, options.limits),
      ]),
    );
  }

  /** The collections with at least one answer. The sink is synced when all have one. */
  get answered(): ReadonlySet<string> {
    const answered = [...this.#held].filter(([, { systemVersion }]) => systemVersion !== undefined);
    return new Set(answered.map(([name]) => name));
  }

  get status(): readonly HeldStatus[] {
    return Array.from(this.#held, ([collection, { systemVersion, certain, versions }]) => ({
      collection,
      systemVersion,
      certain,
      resources: versions.size,
    }));
  }

  /** Whether there is a stream now. */
  get attached(): boolean {
    return this.#active !== undefined;
  }

  /** The last requests it sent, oldest first. */
  get journal(): readonly JournalEntry[] {
    return this.#journal.entries;
  }

  /** Accepted versions of this collection, by wire name. */
  versions(collection: string): ReadonlyMap<string, string> {
    return this.#held.get(collection)?.versions ?? new Map();
  }

  /** Attaches a new stream and ends the old one, because two sources would overwrite each other's state. */
  attach(stream: GrpcStream): void {
    const before = this.#active;
    const active: Active = { stream, facts: streamFacts(++this.#lastId, stream.peer), unheard: new Map() };
    this.#active = active;
    before?.stream.end(GrpcStatus.ABORTED, "a newer source has connected");
    this.#options.observer.attached(active.facts);
    let heard = false;
    this.#subscribe(active);
    stream.attach({
      onMessage: (bytes) => {
        heard = true;
        if (this.#active === active) this.#receive(bytes, active);
      },
      onFlushed: () => undefined,
      onClose: (reason) => {
        if (this.#active === active) this.#active = undefined;
        if (!heard && isExhausted(reason)) this.#resumeWithout = true;
        this.#options.observer.detached(active.facts, reason);
      },
    });
  }

  /** Ends the stream, if there is one. */
  detach(): void {
    this.#active?.stream.end(GrpcStatus.OK);
  }

  /** Subscribes to all collections before it reads anything (SNK-1). */
  #subscribe({ stream, unheard }: Active): void {
    const resumes = !this.#resumeWithout;
    this.#resumeWithout = false;
    for (const [collection, { incremental, versions, certain }] of this.#held) {
      const held = incremental && resumes && certain && versions.size > 0 ? versions : undefined;
      unheard.set(collection, held);
      this.#say(stream, { collection, nonce: "", incremental, ...(held && { held }) });
    }
  }

  #receive(bytes: Uint8Array, active: Active): void {
    const { stream, facts } = active;
    const fields = countFields(bytes, maxFields);
    if (fields > maxFields) return stream.end(GrpcStatus.RESOURCE_EXHAUSTED, `more than ${maxFields} resources`);
    let message: Resources;
    try {
      message = readResources(bytes);
    } catch {
      return stream.end(GrpcStatus.INVALID_ARGUMENT, "this is no Resources");
    }
    if (message.collection === triggerCollection) return this.#refuseTrigger(stream);
    const push = factsOf(message, bytes.length, facts);
    this.#options.observer.received(push);
    const said = this.#sayingOf(message, active);
    if (said === undefined) this.#askForAll(stream, push);
    else this.#answer(stream, push, this.#process(said));
  }

  #refuseTrigger(stream: GrpcStream): void {
    const nack = nackOf(GrpcStatus.UNIMPLEMENTED, `unsupported collection ${triggerCollection}`);
    this.#say(stream, { collection: triggerCollection, nonce: "", incremental: false, nack });
  }

  /** The message with its actual base: full state or delta. Undefined if the base of the delta is unknown. */
  #sayingOf(message: Resources, { unheard }: Active): Resources | undefined {
    const { collection } = message;
    if (!unheard.has(collection)) return message;
    const base = baseOf(message, unheard.get(collection));
    if (base === "unknown") {
      unheard.set(collection, undefined);
      return undefined;
    }
    unheard.delete(collection);
    return base === "held" ? message : { ...message, incremental: false, removedResources: [] };
  }

  /** A source answers an empty nonce with the current state at once, if no other answer is pending. */
  #askForAll(stream: GrpcStream, { collection, nonce }: PushFacts): void {
    this.#say(stream, { collection, nonce, incremental: false });
    this.#say(stream, { collection, nonce: "", incremental: false });
  }

  #answer(stream: GrpcStream, push: PushFacts, nack: Nack | undefined): void {
    const { observer } = this.#options;
    const { collection, nonce } = push;
    const held = this.#held.get(collection);
    // The next message must not build on uncertain state (SNK-4).
    const asks = held?.incremental === true && held.certain;
    if (nack === undefined) {
      observer.acked(push);
      return this.#say(stream, { collection, nonce, incremental: asks });
    }
    observer.nacked(push, nack, nack.rejected);
    const isRejectedWhole = nack.rejected.length === 0;
    this.#say(stream, { collection, nonce, incremental: asks && !isRejectedWhole, nack });
  }

  /** Processes a message. Returns the NACK, or undefined if everything was accepted. */
  #process(message: Resources): Nack | undefined {
    const held = this.#held.get(message.collection);
    if (held === undefined) return nackOf(GrpcStatus.UNIMPLEMENTED, `unsupported collection ${message.collection}`);
    const { collection } = held;
    const excess = held.excessOf(message);
    if (excess !== undefined) {
      held.doubt();
      return nackOf(GrpcStatus.RESOURCE_EXHAUSTED, excess.message);
    }
    const { updater, sourceName, unreadable } = this.#options;
    const { objects, versions, removed, rejected } = readPush(message, collection, sourceName);
    if (rejected.length > 0 && unreadable === "reject-message") return nackOf(GrpcStatus.UNKNOWN, describe(rejected));
    try {
      const refused = updater.apply({
        collection,
        systemVersion: message.systemVersionInfo,
        incremental: message.incremental,
        objects: [...objects.values()],
        removed,
        unreadable: rejected,
      });
      const all = [...rejected, ...(refused ?? [])];
      held.take(message, versions, new Set(all.map(({ name }) => name)));
      const news = held.reject(message, all);
      return news.length === 0 ? undefined : nackOf(GrpcStatus.INVALID_ARGUMENT, describe(news), news);
    } catch (thrown) {
      held.doubt();
      return nackOf(GrpcStatus.INVALID_ARGUMENT, errorFrom(thrown).message);
    }
  }

  #say(stream: GrpcStream, says: SinkRequestFields): void {
    const { collection, nonce, incremental, nack: error } = says;
    this.#journal.add({ at: this.#options.clock.now(), collection, nonce, incremental, ...(error && { error }) });
    stream.send(encodeSinkRequest(this.#options.node, says), []);
  }
}

function nackOf(code: GrpcStatus, message: string, rejected: readonly RejectedResource[] = []): Nack {
  return { code, message, rejected };
}

/** The first few are enough for people. The details contain all. */
function describe(rejected: readonly RejectedResource[]): string {
  const named = rejected.slice(0, 3).map(({ name, reason }) => `${name || "(no name)"}: ${reason}`);
  const more = rejected.length - named.length;
  return named.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

function factsOf(message: Resources, bytes: number, facts: StreamFacts): PushFacts {
  return {
    ...facts,
    collection: message.collection,
    version: message.systemVersionInfo,
    nonce: message.nonce,
    incremental: message.incremental,
    resources: message.resources.length,
    removed: message.removedResources.length,
    bytes,
  };
}

function isExhausted(reason: CloseReason): boolean {
  return reason.type === "server" && reason.status?.code === GrpcStatus.RESOURCE_EXHAUSTED;
}
