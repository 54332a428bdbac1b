import {
  type CallOptions,
  type ChannelOptions,
  Client,
  type ClientDuplexStream,
  credentials,
  type StatusObject,
} from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import type { CloseReason, GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { createGrpcServer, type GrpcServerOptions } from "../../transport/server/grpc-server.ts";
import { RecordingLogger } from "../recording/recording-logger.ts";

/** The bidirectional method that `call` calls. */
export const ECHO = "/test.Echo/Stream";
/** The unary method that `unaryCall` calls. */
export const ONCE = "/test.Echo/Once";

/** grpc-js without protobuf: (de)serializes nothing. */
export const bytesAsIs = (bytes: Buffer): Buffer => bytes;

/** Options of a server on a free port of the loopback. */
export function serverOptions(options: Partial<GrpcServerOptions>) {
  return { address: "127.0.0.1:0", methods: new Map(), logger: new RecordingLogger(), ...options };
}

/** A server and a stock grpc-js client; both end with the test. */
export async function startServer(options: Partial<GrpcServerOptions>, channel: ChannelOptions = {}) {
  const logger = new RecordingLogger();
  const server = createGrpcServer(serverOptions({ ...options, logger }));
  const address = await server.start();
  const client = new Client(address, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    ...channel,
  });
  onTestFinished(async () => {
    client.close();
    await server.stop({ graceMs: 0 });
  });
  const call = (callOptions: CallOptions = {}) =>
    record(client.makeBidiStreamRequest(ECHO, bytesAsIs, bytesAsIs, callOptions));
  return { server, address, client, call, logger };
}

/** A server that sends every message back, and the reasons for which its streams closed. */
export async function startEcho(options: Partial<GrpcServerOptions> = {}, channel: ChannelOptions = {}) {
  const closes: CloseReason[] = [];
  const echo = (stream: GrpcStream) =>
    stream.attach({
      onMessage: (bytes) => stream.send(bytes.slice(), []),
      onFlushed: () => undefined,
      onClose: (reason) => closes.push(reason),
    });
  return { ...(await startServer({ methods: new Map([[ECHO, echo]]), ...options }, channel)), closes };
}

/** Collects what a call receives. Its failure is a status here, not an error. */
export function record(stream: ClientDuplexStream<Buffer, Buffer>) {
  const received: Buffer[] = [];
  stream.on("data", (bytes: Buffer) => received.push(bytes)).on("error", () => undefined);
  const status = new Promise<StatusObject>((resolve) => stream.once("status", resolve));
  return { stream, received, status };
}

export function unaryCall(client: Client, request: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(ONCE, bytesAsIs, bytesAsIs, request, (error, response) =>
      error === null ? resolve(response) : reject(error),
    );
  });
}
