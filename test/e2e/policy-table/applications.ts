import { createServer, type Socket } from "node:net";
import type { TablePeer } from "./row.ts";
import { listenLocally } from "../../../src/testing/server/listen-locally.ts";

/** A TCP server that answers every client that sends something, and ends the connection. */
export async function startTcpApplication(): Promise<TablePeer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end("answer"));
  });
  const port = await listenLocally(server);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
