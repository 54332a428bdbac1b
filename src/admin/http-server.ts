import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { MeshError } from "../lib/errors.ts";
import { largest } from "../lib/extremes.ts";
import type { Logger } from "../lib/logger.ts";
import type { WorkGate } from "../lib/overload/overload.ts";
import type { ReportFailure } from "../lib/supervisor.ts";
import { type ListenAddress, parseAddress } from "../transport/listen-address.ts";
import { listen } from "../transport/listen.ts";
import type { GuestServer } from "./guest-server.ts";
import { PageLoad } from "./page-load.ts";
import { readBody } from "./read-body.ts";
import { type PageAnswer, type Route, text } from "./route.ts";
import { isLoopback, refusalOf } from "./request-origin.ts";
import { type RefusedViewer, type ViewerRules, viewerOf } from "./viewer.ts";

/** Largest request body that the settings pages accept. */
const maxBodyBytes = 64 * 1024;

/** No scripts, no external resources, no frames: a page may show configuration from untrusted users. */
const safely = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
};

/** Time limit from the first byte of a request to its last. A slower client is disconnected. */
const requestMs = 10_000;

export interface HttpServerOptions {
  /** As for the gRPC server: `HOST:PORT`, `:PORT` or `off`; port 0 lets the system choose. */
  readonly address: string;
  readonly routes: readonly Route[];
  readonly logger: Logger;
  /** Serves further paths, before the routes. */
  readonly guest?: GuestServer | undefined;
  /** How remote clients are identified. Without it, pages that are not open are only for this machine. */
  readonly viewers?: ViewerRules;
  /** How long a request may take to arrive. Only tests set it lower. */
  readonly requestTimeoutMs?: number;
  /** Slows down or refuses pages under load. Without it all pages are served. */
  readonly overload?: WorkGate;
  /** Reports pages that throw, for the log. */
  readonly onFailure: ReportFailure;
}

const nobodyElse: ViewerRules = {
  authenticate: async () => ({ type: "refused", reasons: ["only clients on this machine may see this page"] }),
  systemNamespaces: () => [],
};

/**
 * Serves routes over plain HTTP, each to its permitted viewers. Requests from other sites' pages in a browser are
 * refused.
 */
export class HttpServer {
  readonly #address: ListenAddress;
  readonly #routes: readonly Route[];
  readonly #guest: GuestServer | undefined;
  readonly #logger: Logger;
  readonly #viewers: ViewerRules;
  readonly #onFailure: ReportFailure;
  readonly #load: PageLoad | undefined;
  readonly #server: Server;

  /** Throws `bad-option` for an invalid address. */
  constructor(options: HttpServerOptions) {
    const { address, routes, logger, viewers = nobodyElse, requestTimeoutMs: requestTimeout = requestMs } = options;
    const parsed = parseAddress(address);
    if (parsed === undefined) throw new MeshError("bad-option", `${address} is not an address like 127.0.0.1:8080`);
    this.#address = parsed;
    this.#routes = routes;
    this.#guest = options.guest;
    this.#logger = logger;
    this.#viewers = viewers;
    this.#onFailure = options.onFailure;
    this.#load = options.overload && new PageLoad(options.overload);
    const timeouts = {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: requestTimeout / 4,
    };
    this.#server = createServer(timeouts, (request, response) => void this.#serve(request, response));
  }

  /** Whether only this machine can reach the server. */
  get bound(): "loopback" | "network" {
    return this.#address.type === "off" || isLoopback(this.#address.host) ? "loopback" : "network";
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
    try {
      if (await this.#servedByGuest(request, response)) return;
      const { status, contentType, body, headers } = await this.#answer(request);
      response.writeHead(status, { ...safely, "content-type": contentType, ...headers });
      response.end(body);
    } catch (thrown) {
      // This promise is not awaited: a rejection would end the process.
      this.#onFailure(thrown, { path: request.url });
      response.destroy();
    }
  }

  /** Refused requests are left to the routes, which refuse them, too. */
  async #servedByGuest(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const guest = this.#guest;
    const asked = URL.parse(request.url ?? "/", "http://localhost");
    if (guest === undefined || asked === null || !guest.takes(request, asked.pathname)) return false;
    const refusal = refusalOf(request.headers, this.bound);
    if (refusal !== undefined) return false;
    const shed = this.#load?.refusalOf({ vital: guest.isVital(asked.pathname) });
    if (shed === undefined) await guest.serve(request, response, asked);
    else
      response.writeHead(shed.status, { ...safely, "content-type": shed.contentType, ...shed.headers }).end(shed.body);
    return true;
  }

  async #answer(request: IncomingMessage): Promise<PageAnswer> {
    const { url = "/", headers } = request;
    const refusal = refusalOf(headers, this.bound);
    if (refusal !== undefined) return text(refusal, 403);
    const asked = URL.parse(url, "http://localhost");
    const route = this.#routes.find(({ path }) => withSlash(path) === withSlash(asked?.pathname ?? ""));
    if (route === undefined || asked === null) return text(`no such page: ${url}\n\n${pageList(this.#routes)}`, 404);
    const shed = this.#load?.refusalOf(route);
    if (shed !== undefined) return shed;
    try {
      if (route.open === true) return await answerOf(route, asked.searchParams, request);
      const viewer = await viewerOf(request, this.#viewers);
      if (viewer.type === "refused") return this.#refuse(viewer, request);
      if (viewer.type === "system") return await answerOf(route, asked.searchParams, request);
      return await answerWithin(viewer.namespace, route, asked.searchParams, request);
    } catch (thrown) {
      this.#onFailure(thrown, { path: route.path });
      return text("internal error: see the log", 500);
    }
  }

  /** The refused client gets no reasons. */
  #refuse({ status, reasons }: RefusedViewer, { url, socket }: IncomingMessage): PageAnswer {
    this.#logger.warn({ page: url, peer: socket.remoteAddress, status, reasons }, "page refused");
    if (status === 403) return text("only workloads of the mesh may see this page", status);
    const answer = text(
      "authentication required: connect from the server's own machine, or send a bearer token",
      status,
    );
    return { ...answer, headers: { "www-authenticate": "Bearer" } };
  }
}

/** The answer for viewers with full access, who may also make changes. */
async function answerOf(route: Route, query: URLSearchParams, request: IncomingMessage): Promise<PageAnswer> {
  const { path, answer, change } = route;
  if (request.method === "GET") return await answer(query, request.headers.accept);
  if (change === undefined || request.method !== change.method) {
    return text(`${path} accepts ${change === undefined ? "GET only" : `GET and ${change.method}`}`, 405);
  }
  const body = await readBody(request, maxBodyBytes);
  if (body !== undefined) return await change.apply(body.toString());
  return { ...text(`the body exceeds ${maxBodyBytes} bytes`, 413), headers: { connection: "close" } };
}

/** The answer for a workload, which may see its own namespace and change nothing. */
async function answerWithin(
  namespace: string,
  { answerWithin: answer }: Route,
  query: URLSearchParams,
  request: IncomingMessage,
): Promise<PageAnswer> {
  if (answer === undefined || request.method !== "GET") {
    return text(
      "only operators may see this page: from the server's own machine, or with an identity of a system namespace",
      403,
    );
  }
  return await answer(namespace, query);
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

/** Path and purpose of each page, one per line. */
function pageList(routes: readonly Route[]): string {
  const width = largest(routes.map(({ path }) => path.length));
  return routes.map(({ path, doc }) => `${path.padEnd(width)}  ${doc}`).join("\n");
}
