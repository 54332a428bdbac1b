import type { ConfigId } from "../../config/config.ts";
import type { Clock } from "../../lib/clock.ts";
import { Debouncer } from "../../lib/debouncer.ts";
import { errorFrom } from "../../lib/errors.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc-stream.ts";
import type { PushContext } from "../model/push-context.ts";
import { isEndpointOnly, mergePushRequests, type PushRequest } from "../model/push-request.ts";
import { Catalogue } from "./catalogue.ts";
import { Connection, type ConnectionContext } from "./connection.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { Generator } from "./generator.ts";
import { NameSets } from "./name-set.ts";
import { BadNode, readNode } from "./node.ts";
import type { XdsObserver } from "./observer.ts";
import { type DeltaRequest, readDeltaRequest, readSotwRequest, type SotwRequest } from "./request.ts";
import type { WarmingRules } from "./warming.ts";

export interface DiscoveryServerOptions {
  readonly clock: Clock;
  /** Lets other work run when it is time to; awaited between streams and between parts, never inside one. */
  readonly turn: () => Promise<void>;
  readonly generators: readonly Generator[];
  /** The first context; proxies are refused until `ready` is called. */
  readonly push: PushContext;
  /** Makes the next context. Only the endpoints are newer when nothing else is to be pushed yet. */
  readonly capture: (previous: PushContext, what: "everything" | "endpoints") => PushContext;
  readonly observer: XdsObserver;
  readonly debounce: { readonly quietMs: number; readonly maxWaitMs: number };
  readonly ackTimeoutMs: number;
  readonly warmingRules: WarmingRules;
}

/** Serves ADS: from configuration updates on one side to streams on the other. */
export class DiscoveryServer {
  readonly #options: DiscoveryServerOptions;
  readonly #catalogue: Catalogue;
  readonly #context: ConnectionContext;
  readonly #connections = new Set<Connection>();
  readonly #dispatcher: Dispatcher;
  readonly #debouncer: Debouncer;
  readonly #fastLane: Debouncer;
  #pending: PushRequest | undefined;
  #pendingEndpoints: PushRequest | undefined;
  #pushing: Promise<void> = Promise.resolve();
  #ready = false;
  #nextConnection = 0;

  constructor(options: DiscoveryServerOptions) {
    this.#options = options;
    const { clock, observer, debounce, turn } = options;
    this.#catalogue = new Catalogue(options.push, (problem) => observer.generatorFailed(problem));
    this.#context = {
      catalogue: this.#catalogue,
      generators: options.generators,
      nameSets: new NameSets(),
      clock,
      observer,
      warmingRules: options.warmingRules,
      ackTimeoutMs: options.ackTimeoutMs,
    };
    this.#dispatcher = new Dispatcher(turn);
    const onError = (thrown: unknown) => observer.pushFailed(errorFrom(thrown));
    this.#debouncer = new Debouncer({ clock, ...debounce, onError, run: () => this.#pushPending() });
    this.#fastLane = new Debouncer({ clock, quietMs: 0, maxWaitMs: 0, onError, run: () => this.#pushEndpoints() });
  }

  get connections(): ReadonlySet<Connection> {
    return this.#connections;
  }

  get catalogue(): Catalogue {
    return this.#catalogue;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** From now on streams are taken: everything delivered so far is in the published context. */
  markReady(): void {
    this.#ready = true;
  }

  /** Something changed. Endpoint-only changes leave at once, all else waits until things are quiet. */
  configUpdate(request: PushRequest): void {
    if (isEndpointOnly(request) && !this.#serviceIsPending(request)) {
      this.#pendingEndpoints = mergePushRequests(this.#pendingEndpoints, request);
      this.#fastLane.trigger();
      return;
    }
    this.#pending = mergePushRequests(this.#pending, request);
    this.#debouncer.trigger();
  }

  /** Endpoints of a service that is itself about to change: they belong to the new one and wait for it. */
  #serviceIsPending(request: PushRequest): boolean {
    const pending = this.#pending?.changed;
    if (pending === undefined) return false;
    return [...request.changed].some((id) => pending.has(id.replace("Endpoints/", "Service/") as ConfigId));
  }

  streamAggregatedResources(stream: GrpcStream): void {
    this.#serve(stream, "sotw");
  }

  deltaAggregatedResources(stream: GrpcStream): void {
    this.#serve(stream, "delta");
  }

  /** Resolves when every update so far has been pushed and every push has left or found its stream busy. */
  async idle(): Promise<void> {
    await this.#fastLane.idle();
    await this.#debouncer.idle();
    await this.#pushing;
    await this.#dispatcher.idle();
  }

  stop(): void {
    this.#ready = false;
    this.#debouncer.cancel();
    this.#fastLane.cancel();
    this.#dispatcher.stop();
  }

  #pushPending(): Promise<void> {
    const request = this.#pending;
    this.#pending = undefined;
    if (request === undefined) return Promise.resolve();
    return this.#serially(request, "everything", (lost) => {
      this.#pending = mergePushRequests(lost, this.#pending ?? lost);
    });
  }

  #pushEndpoints(): Promise<void> {
    const request = this.#pendingEndpoints;
    this.#pendingEndpoints = undefined;
    if (request === undefined) return Promise.resolve();
    return this.#serially(request, "endpoints", (lost) => {
      this.#pendingEndpoints = mergePushRequests(lost, this.#pendingEndpoints ?? lost);
    });
  }

  /** One push at a time: contexts are published in the order they were made. A failed one is tried with the next. */
  #serially(request: PushRequest, what: "everything" | "endpoints", keep: (lost: PushRequest) => void): Promise<void> {
    const pushed = this.#pushing.then(() => this.#push(request, what));
    this.#pushing = pushed.catch((thrown: unknown) => {
      keep(request);
      this.#options.observer.pushFailed(errorFrom(thrown));
    });
    return this.#pushing;
  }

  async #push(request: PushRequest, what: "everything" | "endpoints"): Promise<void> {
    const { clock, capture, observer, turn } = this.#options;
    const startedAt = clock.now();
    const push = capture(this.#catalogue.published, what);
    await this.#catalogue.advance(push, request, turn);
    observer.pushStarted({ durationMs: clock.now() - startedAt, reasons: request.reasons });
    const inClasses = [...this.#connections].toSorted((a, b) => (a.classId < b.classId ? -1 : 1));
    for (const connection of inClasses) this.#dispatcher.enqueue(connection, request);
  }

  #serve(stream: GrpcStream, mode: "sotw" | "delta"): void {
    if (!this.#ready) return this.#refuse(stream, GrpcStatus.UNAVAILABLE, "not ready: sources are not synced yet");
    let connection: Connection | undefined;
    stream.attach({
      onMessage: (bytes) => {
        try {
          const request = mode === "sotw" ? readSotwRequest(bytes) : readDeltaRequest(bytes);
          connection ??= this.#connect(stream, mode, request);
          if (mode === "sotw") connection.receiveSotw(request as SotwRequest);
          else connection.receiveDelta(request as DeltaRequest);
        } catch (thrown) {
          this.#fail(stream, connection?.proxy.nodeId ?? "", thrown);
        }
      },
      onFlushed: () => connection?.pump(),
      onClose: (reason) => {
        if (connection === undefined) return;
        connection.close();
        this.#connections.delete(connection);
        this.#dispatcher.remove(connection);
        this.#options.observer.disconnected(connection.proxy.nodeId, reason.type);
      },
    });
  }

  #connect(stream: GrpcStream, mode: "sotw" | "delta", request: SotwRequest | DeltaRequest): Connection {
    const proxy = readNode(request.node);
    const connection = new Connection(`${proxy.id}-${++this.#nextConnection}`, proxy, mode, stream, this.#context);
    this.#connections.add(connection);
    this.#options.observer.connected(proxy.nodeId);
    return connection;
  }

  /** The client sent what cannot be served, or we have a bug; either way only its stream ends. */
  #fail(stream: GrpcStream, node: string, thrown: unknown): void {
    const error = errorFrom(thrown);
    if (error instanceof BadNode || error instanceof RangeError) {
      return this.#refuse(stream, GrpcStatus.INVALID_ARGUMENT, error.message);
    }
    this.#options.observer.streamFailed(node, error);
    stream.end(GrpcStatus.INTERNAL, "internal error");
  }

  #refuse(stream: GrpcStream, status: GrpcStatus, message: string): void {
    this.#options.observer.refused(message);
    stream.end(status, message);
  }
}
