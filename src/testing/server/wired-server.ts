import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { onTestFinished } from "vitest";
import { DiscoveryRequestSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Metrics } from "../../admin/metrics/metrics.ts";
import { defaultOptions, type Options } from "../../app/options/options.ts";
import type { Lifecycle } from "../../app/process/lifecycle.ts";
import type { HostContext } from "../../app/process/process-context.ts";
import { wire, wireGalley } from "../../app/wire.ts";
import type { Peer } from "../../lib/grpc/grpc-stream.ts";
import type { AdsServer } from "../envoy/model-stream.ts";
import { FakeClock } from "../fake-clock.ts";
import { YamlSource } from "../galley/yaml-source.ts";
import { RecordingLogger } from "../recording/recording-logger.ts";
import { streamPair } from "../stream/stream-pair.ts";
import { turns } from "../until.ts";

const anyPort = "127.0.0.1:0";
const anyPorts = { xds: anyPort, http: anyPort, metrics: anyPort, ctrlz: anyPort };

/** The context of all servers of `wire.ts` in tests: a fake clock, and one source to which a test writes. */
function around(settings: Partial<Options>, more: Partial<HostContext>) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const source = new YamlSource("test");
  const options: Options = { ...defaultOptions(), ...anyPorts, sources: [], drainMs: 0, ...settings };
  const host: HostContext = { clock, logger, version: "test", ownSources: [source], ...more };
  return { clock, logger, source, options, host };
}

/** `binnacle serve`, composed as in a process and not started yet. */
export function wiredServer(settings: Partial<Options> = {}, more: Partial<HostContext> = {}) {
  const { options, host, ...rig } = around(settings, more);
  return { ...rig, ...wire(options, host) };
}

/** `binnacle galley`, composed as in a process and not started yet. */
export function wiredGalley(settings: Partial<Options> = {}, more: Partial<HostContext> = {}) {
  const { options, host, ...rig } = around({ mcp: anyPort, ...settings }, more);
  return { ...rig, ...wireGalley(options, host) };
}

interface Startable {
  readonly clock: FakeClock;
  readonly lifecycle: Lifecycle;
}

/** Starts a server and advances its clock until it has started. The end of the test stops the server. */
export async function started<T extends Startable>(server: T): Promise<T> {
  const { clock, lifecycle } = server;
  onTestFinished(() => passing(clock, lifecycle.stop()));
  await passing(clock, lifecycle.start());
  return server;
}

/** Advances the clock until the work is done. */
export async function passing<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  const progress = { done: false };
  const settled = work.finally(() => {
    progress.done = true;
  });
  while (!progress.done) {
    clock.advance(10);
    await turns(1);
  }
  return await settled;
}

/** The lines of one metric with a value other than 0, without the name: `{type="config"} 2`. */
export async function valuesOf({ registry }: Metrics, name: string): Promise<readonly string[]> {
  const lines = (await registry.getSingleMetricAsString(name)).split("\n");
  const values = lines.filter((line) => line.startsWith(name) && !line.endsWith(" 0"));
  return values.map((line) => line.slice(name.length).trim());
}

/** A client in this process that sends only the messages of the test. */
export function rawClient(server: AdsServer, peer: Peer = { address: "127.0.0.1:1" }) {
  const { server: stream, client } = streamPair();
  Object.assign(stream, { peer });
  server.serve(stream, { mode: "sotw" });
  return {
    client,
    ask(typeUrl: string, node: { readonly id: string; readonly metadata?: JsonObject }, names: string[] = []) {
      const request = create(DiscoveryRequestSchema, { typeUrl, node, resourceNames: names });
      client.send(toBinary(DiscoveryRequestSchema, request));
    },
    get answers() {
      return client.received.map((bytes) => fromBinary(DiscoveryResponseSchema, bytes));
    },
  };
}
