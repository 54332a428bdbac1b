import { createServer, type Server, type Socket } from "node:net";
import { systemClock } from "../../app/process/system-clock.ts";
import { listenLocally, portOfServer } from "./listen-locally.ts";

/** The bytes that replace the answer to a request, including their length. The request's number is given. */
export type HostileReply = (xid: number, socket: Socket) => Buffer;

/** A ZooKeeper that accepts clients, and answers their requests with bytes of the test. */
export class HostileZooKeeper implements AsyncDisposable {
  reply: HostileReply;
  greeting: Buffer = greeting(16);
  /** The number of connections so far. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #takenBefore = 0;

  private constructor(reply: HostileReply) {
    this.reply = reply;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(reply: HostileReply): Promise<HostileZooKeeper> {
    const hostile = new HostileZooKeeper(reply);
    await listenLocally(hostile.#server);
    return hostile;
  }

  /** The options of a client that talks to this server. */
  get clientOptions() {
    const address = `127.0.0.1:${portOfServer(this.#server)}`;
    return { addresses: [address], clock: systemClock, sessionTimeoutMs: 30_000 };
  }

  /** The number of bytes sent to clients so far. */
  get taken(): number {
    return this.#takenBefore + [...this.#sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#takenBefore += socket.bytesWritten;
    });
    socket.once("data", () => {
      socket.write(this.greeting);
      // Clients in these tests send one request at a time.
      socket.on("data", (question: Buffer) => socket.write(this.reply(question.readInt32BE(4), socket)));
    });
  }
}

/** Protocol, timeout, session, and a password whose length field is `passwordBytes`. */
export function greeting(passwordBytes: number): Buffer {
  const body = Buffer.alloc(36);
  body.writeInt32BE(30_000, 4);
  body.writeInt32BE(passwordBytes, 16);
  return zookeeperFrame(body);
}

/** An answer without error to a request. */
export function answered(xid: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeInt32BE(xid, 0);
  return zookeeperFrame(Buffer.concat([head, payload]));
}

/** A list of names, or data, and the stat of a node. */
export function children(...names: readonly string[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeInt32BE(names.length);
  const texts = names.map((name) => zookeeperFrame(Buffer.from(name)));
  return Buffer.concat([count, ...texts, Buffer.alloc(68)]);
}

export function zookeeperFrame(body: Buffer, size: number = body.length): Buffer {
  const head = Buffer.alloc(4);
  head.writeInt32BE(size);
  return Buffer.concat([head, body]);
}
