import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { TablePeer } from "./row.ts";

/** A TCP server that answers every client that sends something, and ends the connection. */
export async function startTcpApplication(): Promise<TablePeer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end("answer"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
