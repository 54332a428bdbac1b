import type { ConfigId } from "../../config/config.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorFrom } from "../../lib/errors.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc-stream.ts";
import type { PushContext } from "../model/push-context.ts";
import { isEndpointOnly, type PushRequest } from "../model/push-request.ts";
import { Catalogue } from "./catalogue.ts";
import { Connection, type ConnectionContext } from "./connection.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { Generator } from "./generator.ts";
import { NameSets } from "./name-set.ts";
import { BadNode, readNode } from "./node.ts";
import type { XdsObserver } from "./observer.ts";
import { PushLane } from "./push-lane.ts";
import { type DeltaRequest, readDeltaRequest, readSotwRequest, type SotwRequest } from "./request.ts";
import type { WarmingRules } from "./warming.ts";
import { BadMessage } from "./wire.ts";

export interface DiscoveryServerOptions {
  readonly clock: Clock;
  /** Lets other work run when it is time to; awaited between streams and between parts, never inside one. */
  readonly turn: () => Promise<void>;
  readonly generators: readonly Generator[];
  /** The first context; proxies are refused until `markReady` is called. */
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
  readonly #configuration: PushLane;
  readonly #endpoints: PushLane;
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
    const onError = (cause: Error) => observer.pushFailed(cause);
    const lane = (what: "everything" | "endpoints", wait: DiscoveryServerOptions["debounce"]) =>
      new PushLane({ clock, ...wait, onError, push: (request) => this.#inTurn(request, what) });
    this.#configuration = lane("everything", debounce);
    this.#endpoints = lane("endpoints", { quietMs: 0, maxWaitMs: 0 });
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
    const mayOvertake = isEndpointOnly(request) && !this.#serviceIsPending(request);
    if (mayOvertake) this.#endpoints.add(request);
    else this.#configuration.add(request);
  }

  /** Endpoints of a service that is itself about to change: they belong to the new one and wait for it. */
  #serviceIsPending(request: PushRequest): boolean {
    const pending = this.#configuration.pending?.changed;
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
    await this.#endpoints.idle();
    await this.#configuration.idle();
    await this.#dispatcher.idle();
  }

  stop(): void {
    this.#ready = false;
    this.#configuration.cancel();
    this.#endpoints.cancel();
    this.#dispatcher.stop();
  }

  /** One push at a time: contexts are published in the order they were made. */
  #inTurn(request: PushRequest, what: "everything" | "endpoints"): Promise<void> {
    const pushed = this.#pushing.then(() => this.#push(request, what));
    this.#pushing = pushed.catch(() => undefined);
    return pushed;
  }

  async #push(request: PushRequest, what: "everything" | "endpoints"): Promise<void> {
    const { clock, capture, observer, turn } = this.#options;
    const startedAt = clock.now();
    const push = capture(this.#catalogue.published, what);
    await this.#catalogue.advance(push, request, turn);
    observer.pushStarted({ durationMs: clock.now() - startedAt, reasons: request.reasons });
    for (const connections of Map.groupBy(this.#connections, ({ classId }) => classId).values()) {
      for (const connection of connections) this.#dispatcher.enqueue(connection, request);
    }
  }

  #serve(stream: GrpcStream, mode: "sotw" | "delta"): void {
    if (!this.#ready) return this.#refuse(stream, GrpcStatus.UNAVAILABLE, "not ready: sources are not synced yet");
    let connection: Connection | undefined;
    const receiveSotw = (request: SotwRequest) => {
      connection ??= this.#connect(stream, mode, request.node);
      connection.receiveSotw(request);
    };
    const receiveDelta = (request: DeltaRequest) => {
      connection ??= this.#connect(stream, mode, request.node);
      connection.receiveDelta(request);
    };
    stream.attach({
      onMessage: (bytes) => {
        try {
          if (mode === "sotw") receiveSotw(readSotwRequest(bytes));
          else receiveDelta(readDeltaRequest(bytes));
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

  #connect(stream: GrpcStream, mode: "sotw" | "delta", node: Uint8Array | undefined): Connection {
    const proxy = readNode(node);
    const connection = new Connection(`${proxy.id}-${++this.#nextConnection}`, proxy, mode, stream, this.#context);
    this.#connections.add(connection);
    this.#options.observer.connected(proxy);
    return connection;
  }

  /** The client sent what cannot be served, or we have a bug; either way only its stream ends. */
  #fail(stream: GrpcStream, node: string, thrown: unknown): void {
    const error = errorFrom(thrown);
    if (error instanceof BadNode || error instanceof BadMessage) {
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
