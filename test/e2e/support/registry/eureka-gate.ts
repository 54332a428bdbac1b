import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { eventually } from "../../../../src/testing/eventually.ts";
import { get } from "../http.ts";
import { listenLocally, portOfServer } from "../../../../src/testing/server/listen-locally.ts";

/** A proxy between a client and a Eureka server. It counts requests, and can withhold changes. */
export class EurekaGate implements AsyncDisposable {
  readonly #server: Server;
  /** The port of the server behind it. */
  target: number;
  /** The answered requests, in order. */
  readonly asked: string[] = [];
  /** True if answers about changes have the server's hash code, but no changes. */
  swallowsChanges = false;
  /** True if the gate answers no request. */
  closed = false;

  private constructor(target: number) {
    this.target = target;
    this.#server = createServer((request, response) => {
      this.#pass(request, response).catch(() => response.destroy());
    });
  }

  static async start(target: number): Promise<EurekaGate> {
    const gate = new EurekaGate(target);
    await listenLocally(gate.#server);
    return gate;
  }

  get port(): number {
    return portOfServer(this.#server);
  }

  /** Resolves after this many more answers. */
  async answers(times: number): Promise<void> {
    const until = this.asked.length + times;
    await eventually(`${times} answers`, () => this.asked.length >= until, { seconds: 30 });
  }

  async #pass({ url = "", headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.closed) throw new Error("nobody is let through");
    const { status, body } = await get(this.target, url, { headers: { accept: headers.accept ?? "" } });
    this.asked.push(url);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(this.swallowsChanges && url.endsWith("/delta") ? withoutChanges(body) : body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await this.#server[Symbol.asyncDispose]();
  }
}

function withoutChanges(body: string): string {
  const { applications } = JSON.parse(body) as { readonly applications: object };
  return JSON.stringify({ applications: { ...applications, application: [] } });
}
