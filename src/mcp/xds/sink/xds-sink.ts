import { type CloseReason, GrpcStatus, type GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { Mode } from "../../../xds/mode.ts";
import type { McpCollection } from "../../collections.ts";
import {
  type PushFacts,
  type RejectedResource,
  type SinkObserver,
  type StreamFacts,
  streamFacts,
} from "../../mcp-observer.ts";
import type { SinkChange } from "../../sink/sink-updater.ts";
import { encodeXdsRequest, type XdsNode, type XdsRequestFields } from "./encode-xds-request.ts";
import { type ConfigResponse, readConfigResponse, type SentResource } from "./read-config-response.ts";
import { XdsHeldCollection, type XdsHeldCollectionOptions } from "./xds-held-collection.ts";

export interface XdsSinkOptions extends XdsHeldCollectionOptions {
  readonly mode: Mode;
  readonly node: XdsNode;
  readonly collections: readonly McpCollection[];
  /** Receives changes, in order. Returns the objects that it rejects. */
  readonly apply: (change: SinkChange) => readonly RejectedResource[];
  readonly observer: SinkObserver;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /**
   * The interval at which a SotW server is asked for everything again, because a real istiod does not push every change
   * (XC-7). Deltas cannot be requested again. 0 for never.
   */
  readonly resyncMs: number;
}

/** One open stream. */
interface Active {
  readonly stream: GrpcStream;
  readonly facts: StreamFacts;
  /** Whether the server received the held versions, so that deltas build on them. */
  readonly resumed: boolean;
  /** Whether any response has arrived. */
  heard: boolean;
  node: XdsNode | undefined;
  cancelResync: Cancel;
}

const jitter = 0.2;

/**
 * Keeps collections equal to those of an MCP-over-xDS server, over one stream at a time. The held state survives
 * streams. Unreadable resources are rejected by name, and their last good copy stays (15.22).
 */
export class XdsSink {
  readonly #options: XdsSinkOptions;
  readonly #held: readonly XdsHeldCollection[];
  readonly #byType: ReadonlyMap<string, XdsHeldCollection>;
  /** The last accepted version, by type. */
  readonly #versions = new Map<string, string>();
  #active: Active | undefined;
  #lastId = 0;
  /** The server could not accept the full list of held versions. For one stream the sink announces nothing. */
  #resumeWithout = false;

  constructor(options: XdsSinkOptions) {
    this.#options = options;
    this.#held = options.collections.map((collection) => new XdsHeldCollection(collection, options));
    this.#byType = new Map(this.#held.flatMap((held) => held.typeUrls.map((typeUrl) => [typeUrl, held])));
  }

  /** The collections that are not complete on this stream. */
  get awaited(): readonly string[] {
    return this.#held.filter(({ complete }) => !complete).map(({ collection }) => collection.name);
  }

  /** Attaches a new stream. There must be no other stream. */
  attach(stream: GrpcStream): void {
    const active: Active = {
      stream,
      facts: streamFacts(++this.#lastId, stream.peer),
      resumed: !this.#resumeWithout,
      heard: false,
      node: this.#options.node,
      cancelResync: () => undefined,
    };
    this.#active = active;
    this.#resumeWithout = false;
    this.#options.observer.attached(active.facts);
    for (const held of this.#held) this.#subscribe(active, held, held.restart());
    this.#planResync(active);
    stream.attach({
      onMessage: (bytes) => this.#receive(active, bytes),
      onFlushed: () => undefined,
      onClose: (reason) => this.#closed(active, reason),
    });
  }

  /** Ends the stream, if there is one. */
  detach(): void {
    this.#active?.stream.end(GrpcStatus.OK);
  }

  #subscribe(active: Active, held: XdsHeldCollection, typeUrls: readonly string[]): void {
    for (const typeUrl of typeUrls) {
      const versions = active.resumed ? { held: held.versions(typeUrl) } : {};
      this.#say(active, { typeUrl, nonce: "", version: this.#lastTaken(typeUrl), ...versions });
    }
  }

  #receive(active: Active, bytes: Uint8Array): void {
    let response: ConfigResponse;
    try {
      response = readConfigResponse(bytes, this.#options.mode);
    } catch {
      return active.stream.end(GrpcStatus.INVALID_ARGUMENT, "this is no response");
    }
    active.heard = true;
    const held = this.#byType.get(response.typeUrl);
    const { typeUrl, nonce, version } = response;
    // An unrequested type: it is acknowledged, so that the server does not wait.
    if (held === undefined) return this.#say(active, { typeUrl, nonce, version });
    const push = this.#factsOf(active, held, response, bytes.length);
    this.#options.observer.received(push);
    const whole = this.#isWhole(active, held, response);
    const excess = held.excessOf(response, { whole });
    if (excess !== undefined) return this.#refuse(active, push, response, excess.message);
    const rejected = held.take(response, { whole });
    this.#subscribe(active, held, held.more());
    const refused = this.#apply(held, version);
    this.#answer(active, push, response, [...rejected, ...refused]);
  }

  /** Rejects the whole response. Later deltas would build on it, so the stream ends. */
  #refuse(active: Active, push: PushFacts, { typeUrl, nonce }: ConfigResponse, message: string): void {
    const nack = { code: GrpcStatus.RESOURCE_EXHAUSTED, message, rejected: [] };
    this.#say(active, { typeUrl, nonce, version: this.#lastTaken(typeUrl), nack });
    this.#options.observer.nacked(push, nack, []);
    // Any other status would cancel the stream and lose the last message.
    active.stream.end(GrpcStatus.OK);
  }

  /**
   * Whether resources missing from a response are gone. The first delta on a stream normally builds on the versions
   * that we announced. If it repeats a resource in an announced version, the server did not read the announcement.
   */
  #isWhole({ resumed }: Active, held: XdsHeldCollection, { typeUrl, resources, removed }: ConfigResponse): boolean {
    if (this.#options.mode === "sotw") return true;
    if (!held.awaits(typeUrl)) return false;
    if (!resumed) return true;
    const announced = held.versions(typeUrl);
    const isRepeated = ({ name = "", version }: SentResource) => version !== "" && announced.get(name) === version;
    return removed.length === 0 && resources.some(isRepeated);
  }

  #apply(held: XdsHeldCollection, version: string): readonly RejectedResource[] {
    const change = held.change(version);
    if (change === undefined) return [];
    try {
      return this.#options.apply(change);
    } catch (thrown) {
      held.forgetTold();
      throw thrown;
    }
  }

  #answer(
    active: Active,
    push: PushFacts,
    { typeUrl, nonce, version }: ConfigResponse,
    rejected: readonly RejectedResource[],
  ): void {
    const { observer } = this.#options;
    if (rejected.length === 0) {
      this.#versions.set(typeUrl, version);
      this.#say(active, { typeUrl, nonce, version });
      return observer.acked(push);
    }
    const message = rejected.map(({ name, reason }) => `${name || "(no name)"}: ${reason}`).join("; ");
    const nack = { code: GrpcStatus.INVALID_ARGUMENT, message, rejected };
    this.#say(active, { typeUrl, nonce, version: this.#lastTaken(typeUrl), nack });
    observer.nacked(push, nack, rejected);
  }

  #planResync(active: Active): void {
    const { clock, random, resyncMs, mode } = this.#options;
    if (mode === "delta" || resyncMs === 0) return;
    const pauseMs = Math.round(resyncMs * (1 - jitter + 2 * jitter * random()));
    active.cancelResync = clock.after(pauseMs, () => {
      for (const typeUrl of this.#held.flatMap(({ asked }) => [...asked])) {
        this.#say(active, { typeUrl, nonce: "", version: this.#lastTaken(typeUrl) });
      }
      this.#planResync(active);
    });
  }

  #closed(active: Active, reason: CloseReason): void {
    active.cancelResync();
    this.#active = undefined;
    const isExhausted = reason.type === "server" && reason.status?.code === GrpcStatus.RESOURCE_EXHAUSTED;
    if (!active.heard && isExhausted) this.#resumeWithout = true;
    this.#options.observer.detached(active.facts, reason);
  }

  /** The last accepted version of a type. Empty for none. */
  #lastTaken(typeUrl: string): string {
    return this.#versions.get(typeUrl) ?? "";
  }

  #say(active: Active, says: XdsRequestFields): void {
    active.stream.send(encodeXdsRequest({ ...says, node: active.node }, this.#options.mode), []);
    active.node = undefined;
  }

  #factsOf({ facts }: Active, { collection }: XdsHeldCollection, response: ConfigResponse, bytes: number): PushFacts {
    const { version, nonce, resources, removed } = response;
    return {
      ...facts,
      collection: collection.name,
      version,
      nonce,
      incremental: this.#options.mode === "delta",
      resources: resources.length,
      removed: removed.length,
      bytes,
    };
  }
}
