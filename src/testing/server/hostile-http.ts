import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { listenLocally, portOfServer } from "./listen-locally.ts";

export type HttpAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** An HTTP server that answers as a test says, well or badly, and counts what was taken from it. */
export class HostileHttp implements AsyncDisposable {
  answer: HttpAnswer;
  /** The paths that were asked for, in order. */
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #takenBefore = 0;

  private constructor(answer: HttpAnswer) {
    this.answer = answer;
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? "");
      this.answer(response, request);
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        this.#takenBefore += socket.bytesWritten;
      });
    });
  }

  static async start(answer: HttpAnswer = jsonAnswer({})): Promise<HostileHttp> {
    const hostile = new HostileHttp(answer);
    await listenLocally(hostile.#server);
    return hostile;
  }

  get address(): string {
    return `127.0.0.1:${portOfServer(this.#server)}`;
  }

  /** The bytes that left for clients so far: the kernel holds a few megabytes of them, which nobody has read. */
  get taken(): number {
    return this.#takenBefore + [...this.#sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  }

  /** How many clients have a connection. */
  get connections(): number {
    return this.#sockets.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

export function jsonAnswer(body: unknown): HttpAnswer {
  return (response) => response.end(JSON.stringify(body));
}

/** An answer without an end, as fast as it is read. */
export function endless(text: string): HttpAnswer {
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  return (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  };
}

/** Few bytes on the wire, `bytes` once they are decompressed. */
export function gzipBomb(bytes: number): HttpAnswer {
  const packed = gzipSync(Buffer.alloc(bytes, " "));
  return (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
}

/** An answer of which a byte comes now and then, for ever. */
export function dripping(everyMs: number): HttpAnswer {
  return (response) => {
    const drip = setInterval(() => response.write(" "), everyMs);
    response.once("close", () => clearInterval(drip));
  };
}
