import { type CloseReason, GrpcStatus, type GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
import { whyClosed } from "../../../lib/grpc/why-closed.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { Redial } from "../../../lib/time/redial.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import type { PushFacts, Refusal, Rejection, SinkObserver, StreamFacts } from "../../../mcp/observer.ts";
import { Sink } from "../../../mcp/sink/sink.ts";
import type { SinkChange } from "../../../mcp/sink/sink-updater.ts";
import { Freshness } from "../freshness.ts";
import { isStandIn, standInFor } from "../remote/received-collections.ts";
import { ReceivedState } from "../remote/received-state.ts";
import type { Line } from "../remote/remote-source.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";

/**
 * How long the entries that stand in for services are waited for when all else is told. A Galley that has services tells
 * them first; one whose old pipeline has none never answers.
 */
const standInPatienceMs = 2_000;

export interface McpSessionOptions {
  readonly name: string;
  /** The way to the Galley; without it the Galley calls. */
  readonly line?: Line;
  /** What is asked for. */
  readonly collections: readonly McpCollection[];
  /** What of it the Galley is known not to have; the others are asked. */
  readonly lacks?: readonly string[];
  /** What may keep a Galley that calls from answering, and what to do about it: for people. */
  readonly onSilence?: string;
  /** Whether differences are asked for, where only full states would do. */
  readonly incremental: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: SinkObserver;
}

/** From a start to its stop: streams one after the other, and what they told. */
export class McpSession {
  readonly #options: McpSessionOptions;
  readonly #handler: SourceHandler;
  /** Absent where the Galley calls: then it is for it to try again. */
  readonly #redial: Redial | undefined;
  readonly #state: ReceivedState;
  readonly #freshness = new Freshness();
  /** What the Galley turned out to have. */
  #offered: readonly McpCollection[];
  #sink: Sink;
  /** What the stream has not told yet. */
  #awaited = new Set<string>();
  #stopWaiting: Cancel = () => undefined;
  /** Whether there was a stream and nothing has come on it. */
  #unanswered = false;
  #open = true;

  constructor(options: McpSessionOptions, handler: SourceHandler) {
    this.#options = options;
    this.#handler = handler;
    const { line, clock, random, collections, lacks = [] } = options;
    this.#redial = line && new Redial({ clock, random, dial: () => this.dial() });
    this.#state = new ReceivedState(collections);
    this.#offered = collections;
    for (const name of lacks) this.#lack(name);
    this.#sink = this.#newSink();
  }

  get sink(): Sink {
    return this.#sink;
  }

  dial(): void {
    const { line } = this.#options;
    if (!this.#open) return;
    if (line !== undefined) this.attach(line.open());
    else if (!this.#sink.attached) this.#say(this.#freshness.stale("no Galley has called yet"));
  }

  /** Takes a stream to a Galley, in place of the one there is. */
  attach(stream: GrpcStream): void {
    this.#stopWaiting();
    this.#awaited = new Set(this.#offered.map(({ name }) => name));
    // The real Galley calls again and leaves the stream before open, and silent.
    if (this.#unanswered && this.#redial === undefined) this.#say(this.#freshness.stale(this.#silence()));
    this.#unanswered = true;
    this.#sink.attach(stream);
  }

  hurry(): void {
    this.#redial?.hurry();
  }

  close(): void {
    this.#open = false;
    this.#redial?.stop();
    this.#stopWaiting();
    this.#sink.detach();
  }

  #newSink(): Sink {
    const { name, clock, incremental } = this.#options;
    return new Sink({
      sourceName: name,
      node: { id: "", annotations: {} },
      collections: this.#offered.map((collection) => ({ collection, incremental })),
      updater: { apply: (change) => this.#apply(change) },
      clock,
      observer: this.#observer(),
    });
  }

  #apply(change: SinkChange): readonly Rejection[] {
    const { events, refused } = this.#state.apply(change);
    this.#say(events);
    return refused;
  }

  /** Hears what the sink tells, and passes it on. */
  #observer(): SinkObserver {
    const { observer } = this.#options;
    return {
      attached: (stream) => observer.attached(stream),
      detached: (stream, reason) => this.#detached(stream, reason),
      received: (push) => {
        this.#unanswered = false;
        this.#redial?.worked();
        observer.received(push);
      },
      acked: (push) => {
        observer.acked(push);
        this.#answered(push);
      },
      nacked: (push, refusal, rejected) => this.#nacked(push, refusal, rejected),
    };
  }

  #nacked(push: PushFacts, refusal: Refusal, rejected: readonly Rejection[]): void {
    this.#options.observer.nacked(push, refusal, rejected);
    // What was taken in part is as good as it gets until something changes there.
    if (rejected.length > 0) this.#answered(push);
  }

  #answered({ collection }: Pick<PushFacts, "collection">): void {
    this.#awaited.delete(collection);
    this.#waitForStandIn();
    if (this.#awaited.size === 0) this.#say(this.#freshness.fresh());
  }

  /** For a while, if nothing else is awaited. */
  #waitForStandIn(): void {
    this.#stopWaiting();
    const [last, ...more] = this.#offered.filter(({ name }) => this.#awaited.has(name));
    if (last === undefined || more.length > 0 || !isStandIn(last)) return;
    this.#stopWaiting = this.#options.clock.after(standInPatienceMs, () => {
      this.#say(this.#state.settle(last.name));
      this.#answered({ collection: last.name });
    });
  }

  #detached(stream: StreamFacts, reason: CloseReason): void {
    this.#options.observer.detached(stream, reason);
    // Another one has taken its place already.
    if (this.#sink.attached) return;
    this.#stopWaiting();
    if (!this.#open) return;
    const unsupported = unsupportedCollection(reason);
    if (this.#offered.some(({ name }) => name === unsupported)) return this.#goWithout(unsupported ?? "");
    this.#say(this.#freshness.stale(this.#whyDetached(reason)));
    this.#redial?.later();
  }

  #whyDetached(reason: CloseReason): string {
    if (this.#redial !== undefined) return whyClosed(reason);
    if (this.#unanswered) return this.#silence();
    return reason.type === "client" ? "it hung up" : whyClosed(reason);
  }

  /** A Galley called, and left without an answer to anything. */
  #silence(): string {
    const { onSilence } = this.#options;
    return `a Galley calls, and answers nothing${onSilence === undefined ? "" : `: ${onSilence}`}`;
  }

  /** The real Galley ends the whole stream for one collection that it does not have: we ask for the others, at once. */
  #goWithout(unsupported: string): void {
    this.#lack(unsupported);
    this.#sink = this.#newSink();
    this.dial();
  }

  #lack(lacking: string): void {
    const standIn = standInFor(lacking);
    const others = this.#offered.filter(({ name }) => name !== lacking);
    this.#offered = standIn === undefined ? others : [...others, standIn];
    this.#say(standIn ? this.#state.replace(lacking, standIn) : this.#state.applyNothing(lacking));
  }

  #say(events: readonly SourceEvent[]): void {
    if (this.#open && events.length > 0) this.#handler(events);
  }
}

function unsupportedCollection(reason: CloseReason): string | undefined {
  if (reason.type !== "server" || reason.status?.code !== GrpcStatus.INVALID_ARGUMENT) return undefined;
  return /^unsupported collection "(?<name>[^"]+)"/.exec(reason.status.message)?.groups?.["name"];
}
