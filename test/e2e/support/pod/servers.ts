/**
 * Servers on one host, until it is killed: `node servers.ts '[{"type": "http", "name": "v1", "port": 8101}, …]'`. Each
 * tells its name. Prints `ready` when all of them listen.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createTcpServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";

export interface ServerPlan {
  /** `http` echoes the request; `tcp` and, inside TLS, `tls` answer with their names and hang up. */
  readonly type: "http" | "tcp" | "tls";
  readonly name: string;
  readonly port: number;
  readonly certificate?: { readonly certificateChain: string; readonly privateKey: string };
}

function serverOf({ type, name, certificate }: ServerPlan): Server {
  if (type === "http") {
    return createHttpServer(({ method, url, headers }, response) => {
      response.writeHead(200, { "content-type": "application/json", "x-echo": name });
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

const plans = JSON.parse(process.argv[2] ?? "[]") as readonly ServerPlan[];
for (const plan of plans) {
  const server = serverOf(plan).listen(plan.port, "0.0.0.0");
  await once(server, "listening");
}
process.stdout.write("ready\n");
