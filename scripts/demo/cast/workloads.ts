import { createServer } from "node:http";
import {
  logVerbosity,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  setLogVerbosity,
} from "@grpc/grpc-js";
import { MeshError } from "../../../src/index.ts";
import { listen } from "../../../src/transport/listen.ts";
import { healthService, serving } from "../../peers/grpc-js/health.ts";
import type { DemoWorkload } from "../bookinfo.ts";

/** Both kinds of workloads send their name in this response header. */
export const nameHeader = "x-echo";
const host = "127.0.0.1";

/** Answers `grpc.health.v1.Health/Check`. */
export async function startGrpcWorkload({ name, port }: DemoWorkload): Promise<AsyncDisposable> {
  // The log of the library would appear on the screen.
  setLogVerbosity(logVerbosity.NONE);
  const header = new Metadata();
  header.set(nameHeader, name);
  const server = new Server();
  server.addService(healthService, {
    check(call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) {
      call.sendMetadata(header);
      respond(null, serving);
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (cause) =>
      cause === null ? resolve() : reject(cannotStart(name, port, cause)),
    );
  });
  return { [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

/** Answers every HTTP request with its name. */
export async function startHttpWorkload({ name, port }: DemoWorkload): Promise<AsyncDisposable> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain", [nameHeader]: name });
    response.end(`${name}\n`);
  });
  await listen(server, { host, port }).catch((cause: unknown) => {
    throw cannotStart(name, port, cause);
  });
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

function cannotStart(name: string, port: number, cause: unknown): MeshError {
  const sentence = `${name} cannot listen on ${host}:${port}: is another demo running?`;
  return new MeshError("listen-failed", sentence, { cause });
}
