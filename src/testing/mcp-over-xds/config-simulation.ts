import { create, toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import type { McpCollection } from "../../mcp/collections.ts";
import { SnapshotCache } from "../../mcp/snapshot-cache.ts";
import { ConfigServer } from "../../mcp/xds/config-server.ts";
import { encodeXdsRequest } from "../../mcp/xds/sink/encode-xds-request.ts";
import { FakeClock } from "../fake-clock.ts";
import { McpMesh } from "../mcp/mcp-mesh.ts";
import { mcpObject, travelling } from "../mcp/mcp-object.ts";
import { gateways, rules, serviceEntries, synthetic } from "../mcp/mcp-source-rig.ts";
import type { McpStep, McpWrite, Story } from "../mcp/mcp-story.ts";
import { McpWire } from "../mcp/mcp-wire.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";
import { type ConfigListener, IstiodListener, SinkListener } from "./config-listeners.ts";
import { type ConfigSeams, seamed } from "./config-seams.ts";

const simulatedCollections = [gateways, rules, serviceEntries, synthetic];

/** A server of MCP over xDS, its listeners, and the objects that a story writes. */
export class ConfigSimulation {
  readonly clock = new FakeClock();
  readonly broken = new Map<string, string>();
  /** The number of responses sent. */
  responses = 0;
  readonly sinks: readonly SinkListener[];
  readonly istiod = new IstiodListener();
  /** The content written last, by collection and key. */
  readonly written = new Map<string, Map<string, string>>(simulatedCollections.map((name) => [name, new Map()]));
  readonly #seams: ConfigSeams;
  /** Specs that the server sends in an unreadable form. */
  readonly #spoilt = new WeakSet<object>();
  #mesh: McpMesh;
  #server: ConfigServer;

  constructor({ sinks }: Pick<Story, "sinks">, seams: ConfigSeams = {}) {
    this.#seams = seams;
    this.sinks = sinks.map((delta) => new SinkListener(delta ? "delta" : "sotw", this.clock));
    this.#mesh = this.#newMesh();
    this.#server = this.#newServer();
    this.publish();
  }

  get listeners(): readonly ConfigListener[] {
    return [...this.sinks, this.istiod];
  }

  get connections(): number {
    return this.#server.connections.size;
  }

  take(step: McpStep): void {
    const listener = this.#listener("sink" in step ? step.sink : 0);
    switch (step.type) {
      case "write":
        return this.write(step);
      case "publish":
        return this.publish();
      case "deliver":
        for (let count = 0; count < step.count; count++) listener.wire?.deliver(step.to);
        return;
      case "settle":
        return listener.wire?.settle();
      case "cut":
        return this.cut(listener);
      case "connect":
        return this.connect(listener);
      case "noise":
        return this.#noise(listener, step.noise, step.collection);
      case "stall":
        return this.#stall(step.writes);
      case "crossing":
        return this.#cross(listener, step.write);
      case "wait":
        return this.clock.advance(step.ms);
      case "restart":
        return this.#restart();
      case "mood":
        return;
    }
  }

  write({ collection: index, key, content }: McpWrite): void {
    const name = simulatedCollections[index % simulatedCollections.length] ?? serviceEntries;
    const id = `shop/${key}`;
    this.#put(name, id, content);
    this.written.get(name)?.set(id, content);
  }

  publish(): void {
    this.#mesh.publish();
  }

  connect(listener: ConfigListener): void {
    this.cut(listener);
    const wire = new McpWire();
    listener.wire = wire;
    this.#server.serve(seamed(wire.source, listener.mode, this.#seams, this.#onlooker()), { mode: listener.mode });
    listener.open(wire);
  }

  cut(listener: ConfigListener): void {
    listener.wire?.cut();
    listener.wire = undefined;
  }

  /** True if the held copy of an object is the one written last, as far as that one is readable. */
  isRight(name: string, key: string, held: string | undefined): boolean {
    const content = this.written.get(name)?.get(key);
    // An unreadable object keeps its last good copy, if there was one.
    if (content === "bad") return held !== "bad";
    return held === (content === "gone" ? undefined : content);
  }

  #listener(index: number): ConfigListener {
    return this.listeners[index % this.listeners.length] ?? this.istiod;
  }

  #put(name: string, id: string, content: string): void {
    if (content === "gone") return this.#mesh.delete(name, id);
    const config = mcpObject(travelling(name), id, content);
    if (content === "bad") this.#spoilt.add(config.spec as object);
    this.#mesh.objects.get(name)?.set(id, this.#seams.objects?.(config) ?? config);
  }

  #newMesh(): McpMesh {
    const collections = simulatedCollections.map((name) => this.#spoiling(travelling(name)));
    const mesh = new McpMesh(simulatedCollections, new SnapshotCache({ collections }));
    const { hears } = this.#seams;
    if (hears === undefined) return mesh;
    const { cache } = mesh;
    const onChange = cache.onChange.bind(cache);
    cache.onChange = (listener) =>
      onChange({ ...listener, changed: (changed) => (hears() ? listener.changed(changed) : undefined) });
    return mesh;
  }

  #newServer(): ConfigServer {
    return new ConfigServer({
      cache: this.#mesh.cache,
      clock: this.clock,
      observer: new RecordingObserver(),
      domain: "cluster.local",
      mayRead: () => true,
      ackTimeoutMs: 10_000,
      onRefused: (_collection, error) => this.broken.set("everything is sent", error.message),
    });
  }

  #spoiling(collection: McpCollection): McpCollection {
    const { body } = collection;
    const something = toBinary(AnySchema, create(AnySchema, { typeUrl: "type.googleapis.com/something.Else" }));
    const isSpoilt = (spec: unknown) => typeof spec === "object" && spec !== null && this.#spoilt.has(spec);
    return { ...collection, body: { ...body, encode: (spec) => (isSpoilt(spec) ? something : body.encode(spec)) } };
  }

  #restart(): void {
    for (const listener of this.listeners) this.cut(listener);
    this.#mesh = this.#newMesh();
    for (const [name, keys] of this.written) for (const [key, content] of keys) this.#put(name, key, content);
    this.#server = this.#newServer();
    this.publish();
  }

  #noise({ wire, mode }: ConfigListener, noise: string, index: number): void {
    const { kind } = travelling(simulatedCollections[index % simulatedCollections.length] ?? serviceEntries);
    const typeUrl = noise === "unknown" ? "example.com/v1/Unheard" : `networking.istio.io/v1/${kind.kind}`;
    const nonce = noise.startsWith("stale") ? "long ago" : "";
    // A delta client that adds no subscription sends no message.
    const refusal = noise === "stale nack" ? { refusal: { code: 3, message: "no", rejected: [] } } : {};
    wire?.sink.send(encodeXdsRequest({ typeUrl, nonce, version: "", ...refusal }, mode), []);
  }

  #stall(writes: readonly McpWrite[]): void {
    for (const write of writes) {
      this.write(write);
      this.publish();
    }
  }

  /** Subscribes to everything again while a response is on its way. */
  #cross(listener: ConfigListener, write: McpWrite): void {
    this.write(write);
    this.publish();
    this.#noise(listener, "resubscribe", write.collection);
    listener.wire?.settle();
  }

  /** At most one response per type awaits an answer, unless the answer is late. Nonces must match. */
  #onlooker() {
    const open = new Map<string, { readonly nonce: string; readonly at: number }>();
    let last = 0;
    return {
      responded: (typeUrl: string, nonce: string) => {
        this.responses++;
        const waiting = open.get(typeUrl);
        const isLate = waiting !== undefined && this.clock.now() - waiting.at >= 10_000;
        if (waiting !== undefined && !isLate) this.broken.set("one at a time", `${typeUrl} ${nonce}`);
        if (Number(nonce) <= last) this.broken.set("nonces count", `${typeUrl} ${nonce}`);
        last = Number(nonce);
        open.set(typeUrl, { nonce, at: this.clock.now() });
      },
      requested: (typeUrl: string, nonce: string) => {
        if (open.get(typeUrl)?.nonce === nonce) open.delete(typeUrl);
      },
    };
  }
}
