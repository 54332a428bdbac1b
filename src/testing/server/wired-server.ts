import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { onTestFinished } from "vitest";
import type { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { DiscoveryRequestSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Metrics } from "../../admin/metrics/metrics.ts";
import { defaultOptions, type Options } from "../../app/options/options.ts";
import type { Lifecycle } from "../../app/process/lifecycle.ts";
import type { Listeners } from "../../app/process/listeners.ts";
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
  // A rejection is the caller's, but only after the loop.
  settled.catch(() => undefined);
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

/** The port that a page is on. */
interface PageOptions extends RequestInit {
  readonly port?: "http" | "metrics" | "ctrlz";
}

/** Reads a page of a started server. */
export async function pageOf(
  { listeners }: { readonly listeners: Pick<Listeners, "addresses"> },
  path: string,
  { port = "http", ...init }: PageOptions = {},
): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`http://${listeners.addresses[port]}${path}`, init);
  return { status: response.status, body: await response.text() };
}

/** A ServiceEntry with one endpoint, in the namespace `shop`. Its object begins in line 2. */
export const shopEntry = (name: string, address = "10.0.0.1") => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ${name}, namespace: shop }
spec:
  hosts: [${name}.example]
  resolution: STATIC
  ports: [{ number: 80, name: http, protocol: HTTP }]
  endpoints: [{ address: ${address} }]
`;

/** A client in this process that sends only the messages of the test. */
export function rawClient(server: AdsServer, peer: Peer = { address: "127.0.0.1:1" }) {
  const { server: stream, client } = streamPair();
  Object.assign(stream, { peer });
  server.serve(stream, { mode: "sotw" });
  const send = (request: MessageInitShape<typeof DiscoveryRequestSchema>) =>
    client.send(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, request)));
  return {
    client,
    ask(typeUrl: string, node: MessageInitShape<typeof NodeSchema>, names: string[] = []) {
      send({ typeUrl, node, resourceNames: names });
    },
    /** Answers the response that has this nonce: accepts the response, or rejects it for a reason. */
    answer(typeUrl: string, responseNonce: string, rejection?: string) {
      send({ typeUrl, responseNonce, ...(rejection !== undefined && { errorDetail: { message: rejection } }) });
    },
    get answers() {
      return client.received.map((bytes) => fromBinary(DiscoveryResponseSchema, bytes));
    },
  };
}
