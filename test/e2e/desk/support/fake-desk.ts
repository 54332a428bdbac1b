import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import type { DeskEvent } from "../../../../src/desk/api/model/events.ts";

const built = resolve(import.meta.dirname, "../../../../gen/desk");
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** The answer of the fake API to a path with its parameters. Undefined: 404. */
export type FakeApi = (path: string, query: URLSearchParams) => unknown;

/**
 * The built front-end with answers that a test chooses: for meshes that would take long to build, and for states that
 * a real server avoids. Everything else is tested with a real server.
 */
export class FakeDesk implements AsyncDisposable {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #streams = new Set<ServerResponse>();
  readonly #api: FakeApi;
  /** Requests of the API so far. */
  readonly asked: string[] = [];
  /** Refuses answers of the API, and wants no request for so long. Not the session and the files, as a real server. */
  overloadedSeconds: number | undefined;
  /** The `Last-Event-ID` of each stream so far. */
  readonly lastIds: (string | undefined)[] = [];

  constructor(api: FakeApi) {
    this.#api = api;
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sends an event to all open pages. */
  emit(event: DeskEvent): void {
    for (const stream of this.#streams) stream.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** Sends text that is no event of the API. */
  emitText(text: string): void {
    for (const stream of this.#streams) stream.write(text);
  }

  /** Resolves when the kernel has taken all events. */
  async drained(): Promise<void> {
    for (const stream of this.#streams) if (stream.writableNeedDrain) await once(stream, "drain");
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Ends all streams of events, as a restart of an intermediary does. */
  dropStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    response.setHeader("content-security-policy", policy);
    if (pathname === "/api/v1/events") return this.#stream(request, response);
    if (pathname.startsWith("/api/v1/")) {
      this.asked.push(request.url ?? "");
      if (this.overloadedSeconds !== undefined && pathname !== "/api/v1/session") {
        response.writeHead(503, { "content-type": "text/plain", "retry-after": String(this.overloadedSeconds) });
        response.end("the server is overloaded");
        return;
      }
      const body = this.#api(pathname.slice("/api/v1".length), searchParams);
      response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(body ?? { error: `there is no ${pathname}` }));
      return;
    }
    const asset = readdirSync(join(built, "assets")).find((name) => pathname === `/assets/${name}`);
    const type = asset === undefined ? "text/html" : asset.endsWith(".js") ? "text/javascript" : "text/css";
    response.setHeader("content-type", `${type}; charset=utf-8`);
    response.end(readFileSync(asset === undefined ? join(built, "index.html") : join(built, "assets", asset)));
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    this.lastIds.push(request.headers["last-event-id"] as string | undefined);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
    response.write(
      `retry: 100\nid: fake-${this.lastIds.length}\nevent: reset\ndata: {"type":"reset","start":"fake"}\n\n`,
    );
  }
}
