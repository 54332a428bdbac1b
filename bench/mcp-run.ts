/** One case of the MCP bench, in a process of its own: `node bench/mcp-run.ts OBJECTS SINKS full|delta`, JSON out. */
import { systemClock } from "../src/app/process/system-clock.ts";
import { CowMap } from "../src/collection/cow-map.ts";
import { type Config, configKey } from "../src/config/config.ts";
import { kinds } from "../src/config/kinds.ts";
import { parseConfigs } from "../src/config/parse/parse.ts";
import { assert } from "../src/lib/assert.ts";
import type { GrpcStream, GrpcStreamHandler } from "../src/lib/grpc/grpc-stream.ts";
import { envelopeWriter } from "../src/mcp/envelope/encode-resource.ts";
import { encodeSinkRequest } from "../src/mcp/sink/encode-sink-request.ts";
import { SnapshotCache } from "../src/mcp/snapshot-cache.ts";
import { ResourceSourceServer } from "../src/mcp/source/resource-source-server.ts";
import { RecordingSource } from "../src/testing/mcp/mcp-observers.ts";
import { Random } from "../src/testing/random/random.ts";
import { cpuMs } from "./cpu.ts";
import type { McpFigures } from "./mcp.ts";
import { serviceEntry } from "./mesh.ts";

const collection = "istio/networking/v1alpha3/serviceentries";
const changes = 200;
const node = { id: "bench", annotations: {} };
const [objects = 0, sinks = 0] = process.argv.slice(2, 4).map(Number);
const incremental = process.argv[4] === "delta";

/** Takes every push and acknowledges it, without reading what is in it. */
class CountingSink implements GrpcStream {
  readonly peer = { address: "bench" };
  readonly closed = false;
  readonly queued = 0;
  bytes = 0;
  #nonce = 0;
  #handler: GrpcStreamHandler | undefined;

  attach(handler: GrpcStreamHandler): void {
    this.#handler = handler;
  }

  send(prefix: Uint8Array, segments: readonly Uint8Array[]): void {
    this.bytes += segments.reduce((sum, segment) => sum + segment.length, prefix.length);
    this.#say(String(++this.#nonce));
  }

  end(): void {}

  subscribe(): void {
    this.#say("");
  }

  #say(nonce: string): void {
    this.#handler?.onMessage(encodeSinkRequest(node, { collection, nonce, incremental }));
  }
}

function entryOf(index: number, random: Random): Config {
  const text = JSON.stringify(serviceEntry(index, random));
  const [config] = parseConfigs({ text, file: "bench", source: "bench", kinds, defaultNamespace: "default" }).configs;
  assert(config !== undefined, "the entry is valid");
  return config;
}

function measure(): McpFigures {
  const random = new Random(42);
  const entries = new CowMap<Config>();
  for (let index = 0; index < objects; index++) set(entryOf(index, random));
  const edits = Array.from({ length: changes }, () => entryOf(random.below(objects), random));
  const cache = new SnapshotCache();
  const settings = { requestBurst: sinks };
  const observer = new RecordingSource();
  const source = new ResourceSourceServer({ cache, clock: systemClock, observer, settings });
  const streams = Array.from({ length: sinks }, () => new CountingSink());
  for (const stream of streams) {
    source.serve(stream);
    stream.subscribe();
  }
  const first = costOf(() => publish());
  const bytesBefore = bytesOf(streams);
  const change = costOf(() => {
    for (const edit of edits) {
      set(edit);
      publish();
    }
  });
  source.stop();
  return {
    bytes: (bytesOf(streams) - bytesBefore) / changes,
    changeMs: change.ms / changes,
    encodings: change.encodings / changes,
    firstMs: first.ms,
    firstEncodings: first.encodings,
  };

  function set(config: Config): void {
    entries.set(configKey(config), config);
  }

  function publish(): void {
    cache.distribute({ group: "default", collections: new Map([[collection, entries.freeze(collection)]]) });
  }
}

function bytesOf(streams: readonly CountingSink[]): number {
  return streams.reduce((sum, { bytes }) => sum + bytes, 0);
}

function costOf(work: () => void): { readonly ms: number; readonly encodings: number } {
  const encodings = envelopeWriter.encodings;
  const before = process.cpuUsage();
  work();
  return { ms: cpuMs(before), encodings: envelopeWriter.encodings - encodings };
}

process.stdout.write(JSON.stringify(measure()));
process.exit();
