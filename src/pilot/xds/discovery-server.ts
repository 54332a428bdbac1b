import { type ConfigId, configId } from "../../config/config.ts";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { Overload, type WorkGate } from "../../lib/overload/overload.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Connection } from "../../xds/connection.ts";
import type { WarmingRules } from "../../xds/stream/warming.ts";
import { xdsLimits } from "../../xds/xds-limits.ts";
import { type OutOfBandHandler, type Serve, type StreamKind, XdsServer } from "../../xds/xds-server.ts";
import { kindNameOf, nameOf, namespaceOf } from "../model/config-id.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import { isEndpointOnly, mergePushRequests, type PushRequest } from "../model/push-request.ts";
import { type ProxyLifecycleHooks, StreamAdmission } from "./admission/stream-admission.ts";
import { Catalogue, type GeneratorProblem } from "./catalogue.ts";
import { Dispatcher } from "./dispatcher.ts";
import { type Entrance, openEntrance } from "./entrance.ts";
import type { Generator } from "./generator.ts";
import type { StartedPush, XdsObserver } from "./observer.ts";
import { PushLane } from "./push-lane.ts";
import type { Quarantine } from "./quarantine/quarantine.ts";
import type { StagedRollouts } from "./rollout/staged-rollouts.ts";
import type { Substitutes } from "../registry/substituted-mesh.ts";
import { SideMeshes, type SideMeshSources } from "./side-meshes.ts";

export interface DiscoveryServerOptions extends SideMeshSources {
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
  /** Whether a type's next response to a proxy waits for the acknowledgement of the one before. */
  readonly flowControl?: boolean;
  readonly warmingRules: WarmingRules;
  /** Route configurations with at least so many virtual hosts are split for proxies that can take them (VHDS). */
  readonly splitFrom?: number;
  readonly limits?: PipelineLimits;
  /** Sheds work under load. Without it no work is shed. */
  readonly overload?: WorkGate;
  /** Whether the node of an authenticated client must match its identity. True by default. */
  readonly identityCheck?: boolean;
  /** Whether proxies on this machine get private keys over plaintext. False by default. */
  readonly plaintextSecrets?: boolean;
  /** Answers debug requests of `istioctl`. */
  readonly debugRequests?: OutOfBandHandler<Proxy>;
  /** Serves clients that are no proxies, recognised by their nodes, if set. */
  readonly otherClients?: OtherClients;
  /** Called when proxies connect and disconnect; may reject a proxy. */
  readonly lifecycleHooks?: ProxyLifecycleHooks;
  /** Follows pushes and answers, if set. Must not throw. */
  readonly follower?: PushFollower;
  /** Streams and calls from outside pass here, if set. */
  readonly entrance?: Entrance;
}

/** Follows the way of pushes to proxies. */
export interface PushFollower {
  /** A context was published, and no connection has it so far. */
  pushStarted(push: Pick<StartedPush, "number" | "commits">): void;
  /** A response leaves to the proxy. */
  sent(connection: Connection<Proxy>): void;
  /** A proxy sent an ACK or NACK, and the responses that became due have left. */
  answered(connection: Connection<Proxy>): void;
  /** A stream has ended. */
  gone(): void;
}

export type OtherClients = (node: Uint8Array) => Serve | undefined;

/** Limits of concurrent work. */
export interface PipelineLimits {
  /** The most proxies with bytes in flight. */
  readonly maxInFlight: number;
  /** New streams per second; 0 derives the rate from their measured cost. */
  readonly streamsPerSecond: number;
  /** Whether endpoints are debounced like everything else. */
  readonly debounceEndpoints: boolean;
  /** The largest node that is decoded. An Envoy's has some 61 kB, most of it the names of extensions. */
  readonly maxNodeBytes: number;
  /** Streams of one peer at a time; 0 for any number. */
  readonly maxStreamsPerPeer: number;
}

export const defaultLimits: PipelineLimits = {
  maxInFlight: 100,
  streamsPerSecond: 0,
  debounceEndpoints: false,
  maxNodeBytes: xdsLimits.nodeBytes.most,
  maxStreamsPerPeer: 0,
};

/**
 * Serves xDS: from configuration updates on one side to streams on the other. A request names the changes. It waits in
 * a lane for the debounce, or not at all, and becomes a push. A push captures a mesh context. The catalogue updates
 * every part in use to this context. Then the dispatcher pushes to the connections, one class after the other. Each
 * connection sends only the difference to its previous responses.
 */
export class DiscoveryServer {
  readonly #options: DiscoveryServerOptions;
  readonly #catalogue: Catalogue;
  readonly #side: SideMeshes;
  readonly #streams: XdsServer<Proxy>;
  readonly #dispatcher: Dispatcher;
  readonly #admission: StreamAdmission;
  readonly #entrance: Entrance;
  readonly #configuration: PushLane;
  readonly #endpoints: PushLane;
  #pushing: Promise<void> = Promise.resolve();
  /** Pushes that wait or run. */
  #pushes = 0;
  #ready = false;

  constructor(options: DiscoveryServerOptions) {
    this.#options = options;
    this.#entrance = options.entrance ?? openEntrance;
    const { clock, observer, debounce, turn, limits = defaultLimits, overload: gate = new Overload() } = options;
    const onProblem = (problem: GeneratorProblem) => observer.generatorFailed(problem);
    this.#catalogue = new Catalogue(options.generators, options.push, onProblem, () => clock.now());
    this.#side = new SideMeshes(this.#catalogue, {
      ...options,
      onProblem,
      connections: () => this.connections,
      inTurn: (work) => this.#afterPushes(work),
      repush: (connections, reason) => this.#repush(connections, reason),
      isQueued: (connection) => this.queuedFor(connection) !== undefined,
      caughtUp: () => this.caughtUp(),
    });
    this.#dispatcher = new Dispatcher({
      clock,
      turn,
      maxInFlight: limits.maxInFlight,
      onDequeued: (waitedMs) => observer.dequeued(waitedMs),
    });
    this.#admission = new StreamAdmission({
      clock,
      ...limits,
      gate,
      identityCheck: options.identityCheck ?? true,
      plaintextSecrets: options.plaintextSecrets ?? false,
      lifecycleHooks: options.lifecycleHooks,
    });
    this.#streams = new XdsServer<Proxy>({
      source: this.#side.served,
      clock,
      observer,
      warmingRules: options.warmingRules,
      ackTimeoutMs: options.ackTimeoutMs,
      flowControl: options.flowControl ?? true,
      admit: (stream) => this.#admission.admit(stream, this.#ready),
      outOfBand: firstHandler([options.debugRequests, options.lifecycleHooks]),
      ...(options.otherClients && { otherServer: ofAllowedSize(options.otherClients, limits) }),
      idOf: (proxy) => proxy.id,
      onGone: (connection) => this.#gone(connection),
      onSent: (connection) => {
        this.#side.quarantine?.sent(connection);
        options.follower?.sent(connection);
      },
      onAnswered: (connection, verdict) => {
        this.#side.answered(connection, verdict);
        options.follower?.answered(connection);
      },
      onFlushed: (connection) => this.#dispatcher.flushed(connection),
    });
    const onError = (cause: Error) => observer.pushFailed(cause);
    const lane = (what: "everything" | "endpoints", wait: DiscoveryServerOptions["debounce"]) =>
      new PushLane({ clock, gate, ...wait, onError, push: (request) => this.#inTurn(request, what) });
    this.#configuration = lane("everything", debounce);
    this.#endpoints = lane("endpoints", { quietMs: 0, maxWaitMs: 0 });
  }

  get connections(): ReadonlySet<Connection<Proxy>> {
    return this.#streams.connections;
  }

  get catalogue(): Catalogue {
    return this.#catalogue;
  }

  /** The catalogues that proxies are served from: that of the users' mesh, and those beside it. */
  get catalogues(): readonly Catalogue[] {
    return [this.#catalogue, ...this.#side.catalogues];
  }

  /** The objects that classes of proxies refuse; undefined if the server keeps nothing away. */
  get quarantine(): Quarantine | undefined {
    return this.#side.quarantine;
  }

  /** The changes that arrive in waves; undefined if the server stages none. */
  get rollouts(): StagedRollouts | undefined {
    return this.#side.rollouts;
  }

  /** The objects that differ for a proxy from those of the users' mesh. */
  substitutesFor(proxy: Proxy): Substitutes {
    return this.#side.substitutesFor(proxy);
  }

  /** The mesh that a proxy is served from. It differs from that of the users while something is refused or staged. */
  meshOf(proxy: Proxy): PushContext {
    return this.#side.served.catalogueOf(proxy).published;
  }

  /** From how many virtual hosts on route configurations are split for a proxy; undefined if they never are. */
  splitFrom(proxy: Proxy): number | undefined {
    return this.#side.served.splitFrom(proxy);
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Accepts streams from now on: the published context contains everything so far. */
  markReady(): void {
    this.#entrance.call({ type: "ready" }, () => {
      this.#ready = true;
      this.#side.open();
    });
  }

  /** Whether the published context contains every update so far. */
  get settled(): boolean {
    return this.#pushes === 0 && !this.isDebouncing;
  }

  /** Whether changes wait for their push. */
  get isDebouncing(): boolean {
    return [this.#configuration, this.#endpoints].some(({ pending }) => pending !== undefined);
  }

  /** How long the first proxy in the push queue has waited. */
  get queueMs(): number {
    return this.#dispatcher.longestWaitMs;
  }

  /** Proxies in the push queue. */
  get queued(): number {
    return this.#dispatcher.waiting;
  }

  /** The push that waits in the queue for a connection, if there is one. */
  queuedFor(connection: Connection<Proxy>): PushRequest | undefined {
    return this.#dispatcher.requestOf(connection);
  }

  /** Reports a change. Endpoint-only changes are pushed at once, all others are debounced. */
  configUpdate(request: PushRequest): void {
    const { debounceEndpoints } = this.#options.limits ?? defaultLimits;
    const mayOvertake = isEndpointOnly(request) && !debounceEndpoints && !this.#serviceIsPending(request);
    if (mayOvertake) this.#endpoints.add(request);
    else this.#configuration.add(request);
  }

  /** Rebuilds everything for all proxies. Unchanged resources are not sent. */
  pushAll(reason: string): void {
    this.#entrance.call({ type: "push all", reason }, () => {
      const startedAt = this.#options.clock.now();
      this.configUpdate({ changed: new Set(), forced: true, reasons: new Map([[reason, 1]]), startedAt });
    });
  }

  serve(stream: GrpcStream, kind: StreamKind): void {
    this.#entrance.stream(stream, kind, (entered) => this.#streams.serve(this.#admission.metered(entered), kind));
  }

  /** Resolves when every update so far has been pushed and every push has left or found its stream busy. */
  async idle(): Promise<void> {
    await this.#endpoints.idle();
    await this.#configuration.idle();
    await this.#dispatcher.idle();
  }

  /** Resolves when the published context contains every update so far, after any number of retries. */
  async caughtUp(): Promise<void> {
    await this.#endpoints.caughtUp();
    await this.#configuration.caughtUp();
  }

  stop(): void {
    this.#ready = false;
    this.#configuration.cancel();
    this.#endpoints.cancel();
    this.#side.stop();
    this.#dispatcher.stop();
  }

  /** Endpoints of a service with a pending change wait for that change. */
  #serviceIsPending(request: PushRequest): boolean {
    const pending = this.#configuration.pending?.changed;
    if (pending === undefined) return false;
    return request.changed
      .values()
      .map(serviceOfEndpoints)
      .some((id) => pending.has(id));
  }

  /** One push at a time: contexts are published in the order they were made. */
  #inTurn(request: PushRequest, what: "everything" | "endpoints"): Promise<void> {
    this.#pushes++;
    return this.#afterPushes(() => this.#push(request, what)).finally(() => this.#pushes--);
  }

  #afterPushes(work: () => Promise<void>): Promise<void> {
    const done = this.#pushing.then(work);
    this.#pushing = done.catch(() => undefined);
    return done;
  }

  async #push(request: PushRequest, what: "everything" | "endpoints"): Promise<void> {
    const { clock, capture, observer, turn } = this.#options;
    const startedAt = clock.now();
    const push = capture(this.#catalogue.published, what);
    if (what === "everything") this.#side.captured();
    const contained = what === "everything" ? this.#withPending(request) : request;
    await this.#catalogue.advance(push, contained, turn);
    await this.#side.published();
    const { commits: _, ...rest } = request;
    const numbered = { ...rest, pushes: { first: push.sequence, last: push.sequence } };
    const { commits = [] } = contained;
    this.#options.follower?.pushStarted({ number: push.sequence, commits });
    observer.pushStarted({
      number: push.sequence,
      commits,
      debouncedMs: startedAt - request.startedAt,
      durationMs: clock.now() - startedAt,
      reasons: request.reasons,
    });
    for (const connections of Map.groupBy(this.connections, ({ classId }) => classId).values()) {
      for (const connection of connections) this.#dispatcher.enqueue(connection, numbered);
    }
  }

  /**
   * A context contains everything up to its capture, also changes after its request. Parts must receive these changes
   * with the same context. The next context cannot show that a deleted object was ever in a scope.
   */
  #withPending(request: PushRequest): PushRequest {
    const { pending } = this.#configuration;
    return pending === undefined ? request : mergePushRequests(request, pending);
  }

  /** Pushes to these connections, although the mesh of the users did not change. */
  #repush(connections: Iterable<Connection<Proxy>>, reason: string): void {
    const startedAt = this.#options.clock.now();
    const request = { changed: new Set<ConfigId>(), forced: false, reasons: new Map([[reason, 1]]), startedAt };
    for (const connection of connections) this.#dispatcher.enqueue(connection, request);
  }

  #gone(connection: Connection<Proxy>): void {
    this.#side.gone(connection);
    this.#options.follower?.gone();
    this.#dispatcher.remove(connection);
    this.#options.lifecycleHooks?.left(connection.client);
  }
}

/** Larger nodes are refused like those of proxies. */
function ofAllowedSize(otherClients: OtherClients, { maxNodeBytes }: PipelineLimits): OtherClients {
  return (node) => (node.length > maxNodeBytes ? undefined : otherClients(node));
}

/** The service of endpoints; any other object unchanged. */
function serviceOfEndpoints(id: ConfigId): ConfigId {
  return kindNameOf(id) === "Endpoints" ? configId("Service", namespaceOf(id), nameOf(id)) : id;
}

function firstHandler(handlers: readonly (OutOfBandHandler<Proxy> | undefined)[]): OutOfBandHandler<Proxy> {
  const handlerFor = (typeUrl: string) => handlers.find((handler) => handler?.handles(typeUrl));
  return {
    handles: (typeUrl) => handlerFor(typeUrl) !== undefined,
    answer: (request) => handlerFor(request.typeUrl)?.answer(request),
  };
}
