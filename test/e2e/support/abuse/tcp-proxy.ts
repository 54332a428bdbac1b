import { connect, createServer, type Server, type Socket } from "node:net";
import { listenLocally, portOfServer } from "../../../../src/testing/server/listen-locally.ts";

/** Stands between a client and a port on loopback, and can do to their connections what networks do. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #silent = false;
  #holdMs: ((bytes: number) => number) | undefined;
  #target: number;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((near) => this.#join(near, connect(this.#target, "127.0.0.1")));
  }

  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await listenLocally(proxy.#server);
    return proxy;
  }

  get port(): number {
    return portOfServer(this.#server);
  }

  /** Lets connections from now on reach another port. */
  redirect(target: number): void {
    this.#target = target;
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

  /** Every piece of data waits for so long before it goes on, and the pieces behind it wait as well. */
  slowDown(holdMs: (bytes: number) => number): void {
    this.#holdMs = holdMs;
  }

  /** Lets new connections through, at full speed; those that were silenced stay so. */
  heal(): void {
    this.#silent = false;
    this.#holdMs = undefined;
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
      from.on("data", (data: Buffer) => this.#pass(data, from, to));
      // One end is the end of both.
      from.on("error", () => {}).on("close", () => to.destroy(void this.#sockets.delete(from)));
      if (this.#silent) from.pause();
    }
  }

  #pass(data: Buffer, from: Socket, to: Socket): void {
    if (this.#holdMs === undefined) {
      to.write(data);
      return;
    }
    from.pause();
    setTimeout(() => {
      if (!to.destroyed) to.write(data);
      if (!this.#silent) from.resume();
    }, this.#holdMs(data.length));
  }
}
