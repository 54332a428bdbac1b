import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Client, ClientDuplexStream, StatusObject, status } from "@grpc/grpc-js";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { Mailbox } from "./mailbox.ts";
import { within } from "./patience.ts";
import { type DiscoveryService, fenceName, type NodeOnWire, typeUrls, type Variant } from "./subject.ts";

/** One response of either protocol, in the letters of the outlines. */
export interface ReceivedResponse {
  readonly service: DiscoveryService;
  readonly version: string;
  readonly nonce: string;
  /** Letter → version of the resource. In SotW, the version of the response. */
  readonly resources: ReadonlyMap<string, string>;
  readonly removed: readonly string[];
  /** SotW: true if some resource differs from the responses before. */
  readonly changed: boolean;
}

const methods: Readonly<Record<DiscoveryService, readonly [service: string, noun: string]>> = {
  CDS: ["cluster.v3.ClusterDiscoveryService", "Clusters"],
  EDS: ["endpoint.v3.EndpointDiscoveryService", "Endpoints"],
  LDS: ["listener.v3.ListenerDiscoveryService", "Listeners"],
  RDS: ["route.v3.RouteDiscoveryService", "Routes"],
};

function pathOf({ mode, aggregated }: Variant, service: DiscoveryService): string {
  const [name, noun] = aggregated
    ? ["discovery.v3.AggregatedDiscoveryService", "AggregatedResources"]
    : methods[service];
  return `/envoy.service.${name}/${mode === "sotw" ? "Stream" : "Delta"}${noun}`;
}

const bytesAsIs = (bytes: Buffer): Buffer => bytes;

/** The answer of a stream to a response: an ACK, a NACK with a reason, or none. */
export type ClientReply = (received: ReceivedResponse) => "ack" | "silence" | { readonly nack: string };

interface Extra {
  readonly nonce?: string;
  readonly error?: string;
  readonly nodeId?: string;
}

export interface TestStreamOptions {
  readonly variant: Variant;
  /** The service of the stream. ADS streams carry all services. */
  readonly service: DiscoveryService;
  readonly patienceMs: number;
}

/** A stock gRPC stream that acts as an outline says. By default it acknowledges every response. */
export class TestStream {
  readonly variant: Variant;
  readonly #node: NodeOnWire;
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;
  readonly #mail = new Mailbox<ReceivedResponse>();
  readonly #names = new Map<DiscoveryService, readonly string[]>();
  readonly #nonces = new Map<DiscoveryService, string>();
  readonly #contents = new Map<string, string>();
  readonly #dueAcks = new Map<DiscoveryService, NodeJS.Immediate>();
  readonly #patienceMs: number;
  readonly #status: Promise<StatusObject>;
  reply: ClientReply = () => "ack";
  #introduced = false;

  constructor(client: Client, node: NodeOnWire, { variant, service, patienceMs }: TestStreamOptions) {
    this.variant = variant;
    this.#patienceMs = patienceMs;
    this.#node = node;
    this.#stream = client.makeBidiStreamRequest(pathOf(variant, service), bytesAsIs, bytesAsIs);
    this.#stream.on("data", (bytes: Buffer) => this.#receive(bytes)).on("error", () => undefined);
    this.#status = new Promise((resolve) => this.#stream.once("status", resolve));
    void this.#status.then(({ code, details }) => this.#mail.close(`the stream ended with ${code}: ${details}`));
  }

  /** The SotW subscription, which every request repeats. */
  names(service: DiscoveryService): readonly string[] {
    return this.#names.get(service) ?? [];
  }

  nonce(service: DiscoveryService): string {
    return this.#nonces.get(service) ?? "";
  }

  /** SotW: subscribes to exactly these names. Delta: adds these names. */
  subscribe(service: DiscoveryService, names: readonly string[]): void {
    if (this.variant.mode === "delta") return this.sendDelta(service, { subscribe: names });
    this.#names.set(service, names);
    this.sendSotw(service);
  }

  /** SotW: subscribes to all but these names. Delta: removes these names. */
  unsubscribe(service: DiscoveryService, names: readonly string[]): void {
    if (this.variant.mode === "delta") return this.sendDelta(service, { unsubscribe: names });
    this.subscribe(
      service,
      this.names(service).filter((name) => !names.includes(name)),
    );
  }

  sendSotw(service: DiscoveryService, { nonce = this.nonce(service), error, nodeId }: Extra = {}): void {
    clearImmediate(this.#dueAcks.get(service));
    const message = create(DiscoveryRequestSchema, {
      typeUrl: this.#typeUrl(service),
      resourceNames: this.names(service).map((name) => this.#wire(service, name)),
      responseNonce: nonce,
      ...this.#introduction(nodeId),
      ...(error !== undefined && { errorDetail: { code: 3, message: error } }),
    });
    this.#stream.write(Buffer.from(toBinary(DiscoveryRequestSchema, message)));
  }

  sendDelta(
    service: DiscoveryService,
    request: Extra & {
      readonly subscribe?: readonly string[];
      readonly unsubscribe?: readonly string[];
      readonly held?: Readonly<Record<string, string>>;
    },
  ): void {
    const { subscribe = [], unsubscribe = [], held = {}, nonce = "", error, nodeId } = request;
    const wire = (name: string) => this.#wire(service, name);
    const message = create(DeltaDiscoveryRequestSchema, {
      typeUrl: this.#typeUrl(service),
      resourceNamesSubscribe: subscribe.map(wire),
      resourceNamesUnsubscribe: unsubscribe.map(wire),
      initialResourceVersions: Object.fromEntries(Object.entries(held).map(([name, v]) => [wire(name), v])),
      responseNonce: nonce,
      ...this.#introduction(nodeId),
      ...(error !== undefined && { errorDetail: { code: 3, message: error } }),
    });
    this.#stream.write(Buffer.from(toBinary(DeltaDiscoveryRequestSchema, message)));
  }

  /** The next unread response. */
  next(): Promise<ReceivedResponse> {
    return within(this.#patienceMs, this.#mail.next());
  }

  /** The status with which the server ends the stream. */
  async ended(): Promise<status> {
    return (await within(this.#patienceMs, this.#status)).code;
  }

  /**
   * Subscribes to a resource that always exists and waits for it. Returns all responses that arrive before it.
   * Afterwards the stream restores its subscription.
   */
  async fence(service: DiscoveryService): Promise<readonly ReceivedResponse[]> {
    const { mode } = this.variant;
    const names = this.names(service);
    const all = mode === "sotw" && this.#isWildcard(service);
    if (mode === "delta") this.sendDelta(service, { subscribe: [fenceName] });
    else this.subscribe(service, all ? [fenceName] : [...names, fenceName]);
    const before: ReceivedResponse[] = [];
    const isFence = (received: ReceivedResponse) =>
      received.service === service && received.resources.has(fenceName) && (!all || received.resources.size === 1);
    let next = await this.next();
    for (; !isFence(next); next = await this.next()) before.push(next);
    const alone = next.resources.size === 1 && next.removed.length === 0;
    // Responses due at the same time arrive too. A SotW response of a listed type repeats all subscribed resources
    // anyway.
    if (!alone && (mode === "delta" || !isListed(service) || next.changed)) before.push(next);
    if (mode === "sotw") this.subscribe(service, all ? ["*"] : names);
    const restored = all ? await this.next() : undefined;
    if (restored?.changed === true) before.push(restored);
    return before;
  }

  halfClose(): void {
    this.#stream.end();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  cancel(): void {
    this.#stream.cancel();
  }

  #isWildcard(service: DiscoveryService): boolean {
    const names = this.#names.get(service);
    return names?.includes("*") === true || (names?.length === 0 && !this.#left.has(service));
  }

  readonly #left = new Set<DiscoveryService>();

  /** SotW: removes all names. After a subscription by name, an empty list selects nothing. */
  leaveAll(service: DiscoveryService): void {
    this.#left.add(service);
    this.subscribe(service, []);
  }

  #typeUrl(service: DiscoveryService): string {
    return typeUrls[service];
  }

  #wire(service: DiscoveryService, name: string): string {
    return name === "*" ? name : this.#node.wireName(service, name);
  }

  #introduction(nodeId: string | undefined) {
    if (this.#introduced && nodeId === undefined) return {};
    this.#introduced = true;
    const { id, cluster = "", metadata } = this.#node;
    return { node: { id: nodeId ?? id, cluster, metadata } };
  }

  #receive(bytes: Buffer): void {
    const received = this.variant.mode === "sotw" ? this.#readSotw(bytes) : this.#readDelta(bytes);
    const { service, nonce } = received;
    this.#mail.put(received);
    const reply = this.reply(received);
    if (reply === "silence") return;
    this.#nonces.set(service, nonce);
    const error = reply === "ack" ? {} : { error: reply.nack };
    if (this.variant.mode === "delta") return this.sendDelta(service, { nonce, ...error });
    // The next subscription of the waiting test goes along, as real clients do: one request, not two.
    this.#dueAcks.set(
      service,
      setImmediate(() => this.sendSotw(service, { nonce, ...error })),
    );
  }

  #readSotw(bytes: Buffer): ReceivedResponse {
    const { typeUrl, versionInfo: version, nonce, resources } = fromBinary(DiscoveryResponseSchema, bytes);
    const service = this.#serviceOf(typeUrl);
    let changed = false;
    const there = new Map<string, string>();
    for (const { value } of resources) {
      const letter = this.#node.letter(service, nameIn(value));
      if (letter === undefined || !this.#node.exists(service, value)) continue;
      there.set(letter, version);
      const text = Buffer.from(value).toString("latin1");
      changed ||= letter !== fenceName && this.#contents.get(`${service} ${letter}`) !== text;
      this.#contents.set(`${service} ${letter}`, text);
    }
    return { service, version, nonce, resources: there, removed: [], changed };
  }

  #readDelta(bytes: Buffer): ReceivedResponse {
    const message = fromBinary(DeltaDiscoveryResponseSchema, bytes);
    const { typeUrl, systemVersionInfo: version, nonce, resources, removedResources } = message;
    const service = this.#serviceOf(typeUrl);
    const there = new Map<string, string>();
    const gone = removedResources.flatMap((name) => this.#node.letter(service, name) ?? []);
    for (const { name, version: own, resource } of resources) {
      const letter = this.#node.letter(service, name);
      if (letter === undefined) continue;
      if (this.#node.exists(service, resource?.value ?? new Uint8Array())) there.set(letter, own);
      else gone.push(letter);
    }
    return { service, version, nonce, resources: there, removed: gone, changed: false };
  }

  #serviceOf(typeUrl: string): DiscoveryService {
    const found = Object.entries(typeUrls).find(([, url]) => url === typeUrl);
    if (found === undefined) throw new Error(`not a type of the outlines: ${typeUrl}`);
    return found[0] as DiscoveryService;
  }
}

function isListed(service: DiscoveryService): boolean {
  return service === "CDS" || service === "LDS";
}

/** All types of Envoy have their name in field 1. */
function nameIn(value: Uint8Array): string {
  const length = value[1] ?? 0;
  return value[0] === 0x0a ? Buffer.from(value.subarray(2, 2 + length)).toString() : "";
}
