import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { MeshError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { type ListenAddress, parseAddress } from "../transport/address.ts";
import { listen } from "../transport/listen.ts";
import { type Answer, type Route, text } from "./route.ts";

export interface HttpServerOptions {
  /** As for the gRPC server: `HOST:PORT`, `:PORT` or `off`; port 0 lets the system choose. */
  readonly address: string;
  readonly routes: readonly Route[];
  readonly logger: Logger;
}

/** Serves a list of routes over plain HTTP. */
export class HttpServer {
  readonly #address: ListenAddress;
  readonly #routes: readonly Route[];
  readonly #logger: Logger;
  readonly #server: Server;

  /** Throws `bad-option` for an address that cannot be read. */
  constructor({ address, routes, logger }: HttpServerOptions) {
    const parsed = parseAddress(address);
    if (parsed === undefined) throw new MeshError("bad-option", `${address} is not an address like 127.0.0.1:8080`);
    this.#address = parsed;
    this.#routes = routes;
    this.#logger = logger;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Resolves with the bound address, or `off`; rejects with `listen-failed`. */
  async start(): Promise<string> {
    return this.#address.type === "off" ? "off" : await listen(this.#server, this.#address);
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, body } = await this.#answer(request);
    response.writeHead(status, { "content-type": contentType, "cache-control": "no-store" });
    response.end(body);
  }

  async #answer({ method, url = "/" }: IncomingMessage): Promise<Answer> {
    const asked = URL.parse(url, "http://localhost");
    const route = this.#routes.find(({ path }) => path === asked?.pathname);
    if (route === undefined || asked === null) return text(`no such page: ${url}\n\n${pageList(this.#routes)}`, 404);
    if (method !== "GET") return text(`${route.path} is for GET only`, 405);
    try {
      return await route.answer(asked.searchParams);
    } catch (error) {
      this.#logger.error({ err: error, path: route.path }, "page failed");
      return text("internal error: see the log", 500);
    }
  }
}

/** Path and purpose of each page, one per line. */
export function pageList(routes: readonly Route[]): string {
  const width = Math.max(...routes.map(({ path }) => path.length));
  return routes.map(({ path, doc }) => `${path.padEnd(width)}  ${doc}`).join("\n");
}
