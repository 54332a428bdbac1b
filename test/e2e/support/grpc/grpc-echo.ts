import { Metadata, Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import { healthService, serving } from "../../../../scripts/peers/grpc-js/health.ts";

/** An upstream for gRPC calls; the response header `x-echo` has its name. */
export interface GrpcEcho extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  /** Calls that have arrived, tried again or not. */
  readonly requests: () => number;
  stop(): Promise<void>;
}

export interface GrpcEchoOptions {
  /** As many calls fail with UNAVAILABLE before the first succeeds. */
  readonly failFirst?: number;
  readonly delayMs?: number;
}

export async function startGrpcEcho(
  name: string,
  { failFirst = 0, delayMs = 0 }: GrpcEchoOptions = {},
): Promise<GrpcEcho> {
  let requests = 0;
  const header = new Metadata();
  header.set("x-echo", name);
  function check(call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>): void {
    const fails = ++requests <= failFirst;
    setTimeout(() => {
      // Headers would commit a client to this attempt: a failure that may be tried again has only trailers.
      if (fails) return respond({ code: status.UNAVAILABLE, details: `${name} is not ready` });
      call.sendMetadata(header);
      respond(null, serving);
    }, delayMs).unref();
  }
  const server = new Server();
  server.addService(healthService, { check });
  const port = await bind(server);
  const stop = async () => server.forceShutdown();
  return { name, port, requests: () => requests, stop, [Symbol.asyncDispose]: stop };
}

function bind(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}
