import { fromBinary } from "@bufbuild/protobuf";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { GrpcStatus } from "../../src/lib/grpc/grpc-stream.ts";
import type { FakeClock } from "../../src/testing/fake-clock.ts";
import type { RecordingObserver } from "../../src/testing/recording/recording-observer.ts";
import { streamPair } from "../../src/testing/stream/stream-pair.ts";
import type { Mode } from "../../src/xds/mode.ts";
import type { Serve } from "../../src/xds/xds-server.ts";
import { messagesIn } from "./frames.ts";
import { promise } from "./oracle.ts";

/** A server of xDS under test. It outlives many streams. */
export interface DiscoveryUnderTest {
  readonly serve: Serve;
  readonly connections: { readonly size: number };
  readonly observer: RecordingObserver;
  readonly clock: FakeClock;
  /** Resolves when everything due has been sent. */
  readonly settle: () => Promise<void>;
}

/** How many responses a request may cause: its own, and one of each type that warming repeats. */
const mostResponses = 8;

/**
 * Sends the messages of an input on one stream. The server answers them, or ends the stream with a status for the
 * client. It never fails itself, and nothing of the stream is left behind.
 */
export async function checkDiscovery(server: DiscoveryUnderTest, mode: Mode, input: Buffer): Promise<void> {
  const { observer, clock } = server;
  forget(observer);
  const timers = clock.pending;
  const { server: stream, client } = streamPair();
  server.serve(stream, { mode });
  const messages = messagesIn(input);
  for (const message of messages) {
    client.send(message);
    await server.settle();
  }
  // Later than every time-out of an answer.
  clock.advance(60_000);
  await server.settle();
  const [failure] = observer.failures;
  if (failure !== undefined) throw failure;
  promise(client.status?.code !== GrpcStatus.INTERNAL, "the server does not fail");
  promise(client.received.length <= messages.length * mostResponses, "a request has a bounded number of responses");
  const schema = mode === "sotw" ? DiscoveryResponseSchema : DeltaDiscoveryResponseSchema;
  const nonces = client.received.map((bytes) => fromBinary(schema, bytes).nonce);
  promise(new Set(nonces).size === nonces.length, "each response has its own nonce");
  client.disconnect();
  await server.settle();
  promise(server.connections.size === 0 && observer.open === 0, "a closed stream is gone");
  promise(clock.pending <= timers, () => `a closed stream leaves no timers: ${timers} before, ${clock.pending} after`);
}

/** Recordings of earlier streams would fill the memory. */
function forget(observer: RecordingObserver): void {
  for (const list of Object.values(observer) as unknown[]) if (Array.isArray(list)) list.length = 0;
}
