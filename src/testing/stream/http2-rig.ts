import { type ClientHttp2Stream, connect, type IncomingHttpHeaders, type SecureClientSessionOptions } from "node:http2";
import { onTestFinished } from "vitest";
import type { GrpcStatus, GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { Deframer, frameHead } from "../../transport/grpc-framing.ts";
import { createGrpcServer } from "../../transport/server/grpc-server.ts";
import type { TlsOptions } from "../../transport/tls/secure-server.ts";
import { RecordingLogger } from "../recording/recording-logger.ts";
import type { StreamRig } from "./describe-stream.ts";
import type { StreamEnd, TestClientStream } from "./stream-pair.ts";

export interface Http2Rig extends StreamRig {
  readonly request: ClientHttp2Stream;
}

/** With TLS: how the server does it, and what the client trusts and shows. */
export interface RigOptions {
  readonly tls: TlsOptions;
  readonly client: SecureClientSessionOptions;
}

/** A real server and a bare HTTP/2 client, joined by one stream. */
export async function openHttp2Rig(options?: RigOptions): Promise<Http2Rig> {
  const accepted = Promise.withResolvers<GrpcStream>();
  const methods = new Map([["/test.Echo/Stream", accepted.resolve]]);
  const tls = options && { tls: options.tls };
  const grpcServer = createGrpcServer({ address: "127.0.0.1:0", methods, logger: new RecordingLogger(), ...tls });
  const address = await grpcServer.start();
  const session = options ? connect(`https://${address}`, options.client) : connect(`http://${address}`);
  session.on("error", () => undefined);
  const request = session.request(
    { ":method": "POST", ":path": "/test.Echo/Stream", "content-type": "application/grpc" },
    { endStream: false },
  );
  const dispose = async () => {
    session.destroy();
    await grpcServer.stop({ graceMs: 0 });
  };
  onTestFinished(dispose);
  return { server: await accepted.promise, client: rawClient(request), request, dispose };
}

function rawClient(request: ClientHttp2Stream): TestClientStream {
  const received: Uint8Array[] = [];
  let status: StreamEnd | undefined;
  const deframer = new Deframer(64 << 20, (bytes) => received.push(bytes));
  const readStatus = (headers: IncomingHttpHeaders) => {
    if (headers["grpc-status"] === undefined) return;
    const code = Number(headers["grpc-status"]) as GrpcStatus;
    status = { code, message: decodeURIComponent(headers["grpc-message"]?.toString() ?? "") };
  };
  request.on("response", readStatus);
  request.on("trailers", readStatus);
  request.on("data", (chunk: Buffer) => deframer.push(chunk));
  request.on("error", () => undefined);
  return {
    received,
    get status() {
      return status;
    },
    send: (bytes) => void request.write(frameHead(bytes, [])),
    close: () => void request.end(),
    cancel: () => request.close(8),
    disconnect: () => request.session?.destroy(),
    stall: () => void request.pause(),
    resume: () => void request.resume(),
  };
}
