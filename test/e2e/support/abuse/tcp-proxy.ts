import { connect, createServer, type Server, type Socket } from "node:net";
import { listenLocally, portOfServer } from "../../../../src/testing/server/listen-locally.ts";

/** Stands between a client and a port on loopback, and can do to their connections what networks do. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #silent = false;

  private constructor(target: number) {
    this.#server = createServer((near) => this.#join(near, connect(target, "127.0.0.1")));
  }

  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await listenLocally(proxy.#server);
    return proxy;
  }

  get port(): number {
    return portOfServer(this.#server);
  }

  /** Ends every connection; new ones are let through. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Nothing comes through any more, and nobody is told: as if a cable were pulled. */
  silence(): void {
    this.#silent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Lets new connections through; those that were silenced stay so. */
  heal(): void {
    this.#silent = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await this.#server[Symbol.asyncDispose]();
  }

  #join(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (data) => to.write(data));
      // One end is the end of both.
      from.on("error", () => {}).on("close", () => to.destroy(void this.#sockets.delete(from)));
      if (this.#silent) from.pause();
    }
  }
}
