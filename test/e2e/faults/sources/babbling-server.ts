import { createServer, type Server } from "node:net";
import { listenLocally, portOfServer } from "../../../../src/testing/server/listen-locally.ts";

/** Answers every connection with bytes that belong to no protocol. */
export class BabblingServer implements AsyncDisposable {
  readonly #server: Server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.end(Buffer.from("\xff\x00\x7f half an answer\r\n\r\n".repeat(8), "latin1")));
  });

  static async start(): Promise<BabblingServer> {
    const server = new BabblingServer();
    await listenLocally(server.#server);
    return server;
  }

  get port(): number {
    return portOfServer(this.#server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
