/**
 * Servers on one host, until it is killed: `node servers.ts '[{"type": "http", "name": "v1", "port": 8101}, …]'`. Each
 * tells its name. Prints `ready` when all of them listen.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server, type Http2Server } from "node:http2";
import { createServer as createTcpServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";

export interface ServerPlan {
  /**
   * `http` echoes the request, or answers 503 below `/sick`; `tcp` and, inside TLS, `tls` answer with their names and hang
   * up; `health` is gRPC's health service, which serves.
   */
  readonly type: "http" | "tcp" | "tls" | "health";
  readonly name: string;
  readonly port: number;
  readonly certificate?: { readonly certificateChain: string; readonly privateKey: string };
}

function serverOf({ type, name, certificate }: ServerPlan): Server | Http2Server {
  if (type === "health") return healthServer();
  if (type === "http") {
    return createHttpServer(({ method, url, headers }, response) => {
      response.writeHead(url?.startsWith("/sick") ? 503 : 200, { "content-type": "application/json", "x-echo": name });
      response.end(JSON.stringify({ name, method, path: url, host: headers.host, headers }));
    });
  }
  if (type === "tcp" || certificate === undefined) {
    // Answers to the first bytes, for proxies wait for them to guess the protocol.
    return createTcpServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(name)));
  }
  const [cert, key] = [readFileSync(certificate.certificateChain), readFileSync(certificate.privateKey)];
  return createTlsServer({ cert, key }, (socket) => socket.on("error", () => {}).end(name));
}

/** Answers every call with `SERVING`. */
function healthServer(): Http2Server {
  return createHttp2Server().on("stream", (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
  });
}

const plans = JSON.parse(process.argv[2] ?? "[]") as readonly ServerPlan[];
for (const plan of plans) {
  const server = serverOf(plan).listen(plan.port, "0.0.0.0");
  await once(server, "listening");
}
process.stdout.write("ready\n");
