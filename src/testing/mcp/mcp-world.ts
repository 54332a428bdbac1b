import { create, toBinary } from "@bufbuild/protobuf";
import { RequestResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import type { Config } from "../../config/config.ts";
import { envelopeWriter } from "../../mcp/envelope/encode-resource.ts";
import { Sink } from "../../mcp/sink/sink.ts";
import type { SinkChange, SinkUpdater } from "../../mcp/sink/sink-updater.ts";
import { ResourceSourceServer } from "../../mcp/source/resource-source-server.ts";
import { FakeClock } from "../fake-clock.ts";
import { McpMesh } from "./mcp-mesh.ts";
import { type McpPromise, StreamMonitor } from "./mcp-monitor.ts";
import { mcpObject, travelling } from "./mcp-object.ts";
import { RecordingSink, RecordingSource } from "./mcp-observers.ts";
import { type McpSeams, tappedInTest } from "./mcp-seams.ts";
import { McpStore } from "./mcp-store.ts";
import type { McpStep, McpWrite, Story } from "./mcp-story.ts";
import { McpWire } from "./mcp-wire.ts";

/** Collections of both groups, with and without namespaces, and one with our own body type. */
export const worldCollections = [
  "istio/networking/v1alpha3/gateways",
  "istio/authentication/v1alpha1/meshpolicies",
  "istio/networking/v1alpha3/synthetic/serviceentries",
  "binnacle/services",
];
const served = new Set(worldCollections);

interface SinkWorld {
  readonly sink: Sink;
  readonly store: McpStore;
  throws: boolean;
  wire: McpWire | undefined;
  monitor: StreamMonitor | undefined;
  /** The last request it sent. */
  lastSent: Uint8Array | undefined;
}

/** A source and the sinks of a story, with a monitor for every promise. */
export class McpWorld {
  readonly clock = new FakeClock();
  readonly sinks: readonly SinkWorld[];
  readonly broken = new Map<McpPromise, string>();
  /** The written content, by collection and key, published or not. */
  readonly written = new Map(worldCollections.map((name) => [name, new Map<string, string>()]));
  /** The number of objects made, each of which may need encoding. */
  made = 0;
  readonly #story: Story;
  readonly #seams: McpSeams;
  readonly #encodingsBefore = envelopeWriter.encodings;
  #mesh = new McpMesh(worldCollections);
  #source: ResourceSourceServer;
  #dress: (config: Config) => Config;

  constructor(story: Story, seams: McpSeams = {}) {
    this.#story = story;
    this.#seams = seams;
    this.#dress = seams.objects?.() ?? ((config) => config);
    this.#source = this.#startSource();
    this.sinks = story.sinks.map((incremental) => this.#makeSink(incremental));
  }

  get encodings(): number {
    return envelopeWriter.encodings - this.#encodingsBefore;
  }

  /** The number of open streams and timers that a source left behind. */
  get leftovers(): number {
    return this.clock.pending + this.#source.status.length;
  }

  take(step: McpStep): void {
    switch (step.type) {
      case "write":
        return this.write(step);
      case "publish":
        return this.publish();
      case "deliver":
        for (let count = 0; count < step.count; count++) this.#sinkAt(step.sink).wire?.deliver(step.to);
        return;
      case "settle":
        return this.#sinkAt(step.sink).wire?.settle();
      case "cut":
        return this.cut(this.#sinkAt(step.sink));
      case "connect":
        return this.connect(this.#sinkAt(step.sink));
      case "mood":
        this.#sinkAt(step.sink).throws = step.throws;
        return;
      case "noise":
        return this.#makeNoise(step);
      case "stall":
        return this.#stall(this.#sinkAt(step.sink), step.writes);
      case "crossing":
        return this.#cross(step);
      case "wait":
        return this.clock.advance(step.ms);
      case "restart":
        return this.#restart();
    }
  }

  write({ collection, key, content }: McpWrite): void {
    const name = nameAt(collection);
    const objects = this.written.get(name);
    const cluster = travelling(name).kind.scope === "cluster";
    const at = cluster ? `o${key}` : `shop/o${key}`;
    if (content === "gone") objects?.delete(at);
    else objects?.set(at, content);
    if (content === "gone") this.#mesh.delete(name, at);
    else this.#put(name, at, content);
  }

  /** Writes all entries of `written`. */
  copy(written: McpWorld["written"]): void {
    for (const [name, objects] of written) this.written.set(name, new Map(objects));
    this.#refill();
  }

  publish(): void {
    if (this.#seams.forgetful) this.#refill();
    this.#mesh.publish();
  }

  connect(world: SinkWorld): void {
    if (world.wire?.sink.closed === false) return;
    const wire = new McpWire();
    const monitor = new StreamMonitor(served, (promise, what) => this.#break(promise, what));
    world.wire = wire;
    world.monitor = monitor;
    const send = wire.sink.send.bind(wire.sink);
    wire.sink.send = (prefix, segments) => {
      world.lastSent = prefix;
      send(prefix, segments);
    };
    const onForeignRequest = (deliver: () => void) => this.#judgeForeignRequest(deliver, monitor);
    this.#source.serve(tappedInTest(wire.source, { monitor, seams: this.#seams, onForeignRequest }));
    world.sink.attach(wire.sink);
  }

  cut(world: SinkWorld): void {
    world.wire?.cut();
  }

  #startSource(): ResourceSourceServer {
    const { cache } = this.#mesh;
    const heard = this.#seams.changes?.() ?? ((collections: ReadonlySet<string>) => collections);
    return new ResourceSourceServer({
      cache: {
        collections: cache.collections,
        sets: (form) => this.#seams.sets?.(cache.sets(form)) ?? cache.sets(form),
        onChange: (listener) => cache.onChange({ changed: (collections) => listener.changed(heard(collections)) }),
      },
      clock: this.#seams.clock?.(this.clock) ?? this.clock,
      observer: new RecordingSource(),
      settings: {
        incremental: () => this.#story.differences,
        requestsPerSecond: this.#story.budget,
        requestBurst: this.#story.budget,
      },
    });
  }

  /** Restarts the process of the source: it knows no sinks, and reads all objects again. */
  #restart(): void {
    for (const world of this.sinks) this.cut(world);
    this.#source.stop();
    this.#mesh = new McpMesh(worldCollections);
    this.#dress = this.#seams.objects?.() ?? ((config) => config);
    this.#source = this.#startSource();
    this.#refill();
    this.#mesh.publish();
  }

  #refill(): void {
    for (const [name, objects] of this.written) {
      for (const [key, content] of objects) this.#put(name, key, content);
    }
  }

  #put(name: string, key: string, content: string): void {
    if (!this.#seams.forgetful) this.made++;
    this.#mesh.objects.get(name)?.set(key, this.#dress(mcpObject(travelling(name), key, content)));
  }

  #makeSink(incremental: boolean): SinkWorld {
    const store = new McpStore();
    store.refuse = ({ annotations }) => annotations["content"] === "bad";
    const updater: SinkUpdater = {
      apply: (change) => (world.throws ? halfApplied(store, change) : store.apply(change)),
    };
    const sink = new Sink({
      sourceName: "mcp://world",
      node: { id: "sink", annotations: {} },
      collections: worldCollections.map((name) => ({ collection: travelling(name), incremental })),
      updater: this.#seams.updater?.(updater) ?? updater,
      clock: this.clock,
      observer: new RecordingSink(),
    });
    const world: SinkWorld = {
      sink,
      store,
      throws: false,
      wire: undefined,
      monitor: undefined,
      lastSent: undefined,
    };
    return world;
  }

  #makeNoise({ sink, noise, collection }: Extract<McpStep, { type: "noise" }>): void {
    const { wire, lastSent } = this.#sinkAt(sink);
    if (wire === undefined || wire.sink.closed) return;
    if (noise === "duplicate") return lastSent && wire.sink.send(lastSent, []);
    const responseNonce = noise.startsWith("stale") ? "never" : "";
    const name = noise === "unknown" ? "istio/unheard/of" : nameAt(collection);
    const errorDetail = noise === "stale nack" ? { errorDetail: { code: 3 } } : {};
    const request = create(RequestResourcesSchema, { collection: name, responseNonce, ...errorDetail });
    wire.sink.send(toBinary(RequestResourcesSchema, request), []);
  }

  #cross({ sink, write, throws }: Extract<McpStep, { type: "crossing" }>): void {
    const world = this.#sinkAt(sink);
    world.wire?.settle();
    this.write(write);
    this.publish();
    this.#makeNoise({ type: "noise", noise: "resubscribe", sink, collection: write.collection });
    world.wire?.deliver("source");
    const mood = world.throws;
    world.throws = throws;
    world.wire?.deliver("sink");
    world.throws = mood;
  }

  /** The source sends at most two messages per collection, however much is published meanwhile. */
  #stall(world: SinkWorld, writes: readonly McpWrite[]): void {
    const { wire, monitor } = world;
    wire?.settle();
    const before = new Map(monitor?.sent);
    for (const each of writes) {
      this.write(each);
      this.publish();
    }
    wire?.settle();
    for (const [name, count] of monitor?.sent ?? []) {
      const more = count - (before.get(name) ?? 0);
      if (more > 2) this.#break("patience", `${name} was sent ${more} times`);
    }
  }

  #judgeForeignRequest(deliver: () => void, monitor: StreamMonitor): void {
    const state = () => JSON.stringify([...monitor.sent, this.#source.status.map(({ collections }) => collections)]);
    const before = state();
    deliver();
    if (state() !== before) this.#break("strangers change nothing", "a stale answer had an effect");
  }

  #break(promise: McpPromise, what: string): void {
    if (!this.broken.has(promise)) this.broken.set(promise, what);
  }

  #sinkAt(index: number): SinkWorld {
    const world = this.sinks[index % this.sinks.length];
    if (world === undefined) throw new Error("there is a sink");
    return world;
  }
}

/** Acts like a store that fails midway: it applies the removals and half of the rest, and reports nothing. */
function halfApplied(store: McpStore, change: SinkChange): never {
  const objects = change.objects.slice(0, Math.ceil(change.objects.length / 2));
  store.apply({ ...change, incremental: true, objects });
  throw new Error("half-way");
}

function nameAt(index: number): string {
  return worldCollections[index % worldCollections.length] ?? "";
}
