/**
 * Servers on one host, until it is killed: `node servers.ts '[{"type": "http", "name": "v1", "port": 8101}, …]'`. Each
 * tells its name. Prints `ready` when all of them listen.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server, type Http2Server } from "node:http2";
import { createServer as createTcpServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";

export interface ServerPlan {
  /**
   * - `http` echoes the request, or answers 503 below `/sick`, and has a metric at `/metrics`.
   * - `tcp` and, inside TLS, `tls` answer with their names and close the connection.
   * - `health` is gRPC's health service, and says that it serves.
   * - `dns` resolves every name to the address that is its own name.
   */
  readonly type: "http" | "health" | "tcp" | "tls" | "dns";
  readonly name: string;
  readonly port: number;
  readonly certificate?: { readonly certificateChain: string; readonly privateKey: string };
}

function serverOf({ type, name, certificate }: ServerPlan): Server | Http2Server {
  if (type === "health") return healthServer();
  if (type === "http") {
    return createHttpServer(({ method, url, headers }, response) => {
      if (url === "/metrics") {
        response.end(`# TYPE app_requests_total counter\napp_requests_total 7\n`);
        return;
      }
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

/** Answers questions for IPv4 addresses. Other questions get no record. */
function serveDns({ name, port }: ServerPlan): Promise<unknown> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { address, port: from }) => {
    const end = query.indexOf(0, 12) + 5;
    const isIpv4 = query.readUInt16BE(end - 4) === 1;
    const reply = Buffer.concat([
      query.subarray(0, 2),
      Buffer.from([0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0]),
      query.subarray(12, end),
      ...(isIpv4 ? [Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, ...name.split(".").map(Number)])] : []),
    ]);
    socket.send(reply, from, address);
  });
  socket.bind(port, "0.0.0.0");
  return once(socket, "listening");
}

const plans = JSON.parse(process.argv[2] ?? "[]") as readonly ServerPlan[];
for (const plan of plans) {
  if (plan.type === "dns") {
    await serveDns(plan);
    continue;
  }
  const server = serverOf(plan).listen(plan.port, "0.0.0.0");
  await once(server, "listening");
}
process.stdout.write("ready\n");
