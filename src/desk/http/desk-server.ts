import type { IncomingMessage, ServerResponse } from "node:http";
import type { GuestServer } from "../../admin/guest-server.ts";
import { readBody } from "../../admin/read-body.ts";
import { authenticatedViewer, type RefusedViewer, type ViewerRules } from "../../admin/viewer.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { DeskState } from "../api/desk-state.ts";
import { type ApiAnswer, type Endpoint, problem } from "../api/endpoint.ts";
import { matchEndpoint } from "../api/match-endpoint.ts";
import type { Session } from "../api/model/session.ts";
import type { EventHub } from "../events/event-hub.ts";
import { compressed, type DeskFile, type DeskFiles } from "./desk-files.ts";
import { deskHeaders, notStored, storedForEver } from "./desk-headers.ts";
import { type RecognisedViewer, recognise, withToken } from "./desk-viewer.ts";
import { EventStreams } from "./event-streams.ts";
import { notBuiltPage } from "./not-built-page.ts";
import { Sessions } from "./sessions.ts";
import { type EncodedAnswer, SharedAnswers } from "./shared-answers.ts";

/** Largest request body: an explained request with edited objects. */
const maxBodyBytes = 256 * 1024;
const base = "/api/v1";
const needsToken = "changes need a token of an operator: enter one, also on the server's machine";
const screens = /^\/(?:changes|history|proxies|mesh|configuration|explain|control-plane)(?:\/|$)/u;

export interface DeskServerOptions {
  readonly state: Pick<DeskState, "server">;
  readonly endpoints: readonly Endpoint[];
  readonly hub: EventHub;
  readonly files: DeskFiles;
  readonly viewers: ViewerRules;
  readonly clock: SupervisedClock;
  readonly timeOf: (clockMs: number) => Date;
  readonly logger: Logger;
}

/**
 * The desk on the HTTP port: the built pages for everybody, because they contain no data, and the API for viewers that the
 * debug pages would accept.
 */
export class DeskServer implements GuestServer {
  readonly #options: DeskServerOptions;
  readonly #sessions: Sessions;
  readonly #streams: EventStreams;
  readonly #shared: SharedAnswers;

  constructor(options: DeskServerOptions) {
    this.#options = options;
    const { clock, hub } = options;
    this.#sessions = new Sessions(() => clock.now());
    this.#streams = new EventStreams(hub, clock, options.logger);
    this.#shared = new SharedAnswers(hub, () => clock.now());
  }

  /** A browser gets the desk at `/`. Other clients get the index of the port there. */
  takes({ method, headers }: IncomingMessage, path: string): boolean {
    if (path.startsWith(`${base}/`) || path.startsWith("/assets/")) return true;
    if (path === "/" && !(headers.accept ?? "").includes("text/html")) return false;
    return (path === "/" || screens.test(path)) && (method === "GET" || method === "HEAD");
  }

  /** Without its files the desk could not say that the server is overloaded; the control plane says why. */
  isVital(path: string): boolean {
    return !path.startsWith(`${base}/`) || path === `${base}/session` || path === `${base}/control-plane`;
  }

  async serve(request: IncomingMessage, response: ServerResponse, asked: URL): Promise<void> {
    const { pathname } = asked;
    if (pathname.startsWith(`${base}/`)) return await this.#serveApi(request, response, asked);
    if (request.method !== "GET" && request.method !== "HEAD") {
      return end(response, request, 405, "text/plain; charset=utf-8", "GET only\n", { allow: "GET, HEAD" });
    }
    const { files } = this.#options;
    if (!pathname.startsWith("/assets/")) {
      const { shell } = files;
      if (shell === undefined) return end(response, request, 503, "text/html; charset=utf-8", notBuiltPage);
      return endFile(response, request, shell);
    }
    const asset = files.asset(pathname.slice("/assets/".length));
    if (asset === undefined) return end(response, request, 404, "text/plain; charset=utf-8", "no such file\n");
    endFile(response, request, asset, storedForEver);
  }

  async #serveApi(request: IncomingMessage, response: ServerResponse, asked: URL): Promise<void> {
    const path = asked.pathname.slice(base.length);
    if (path === "/session") return await this.#serveSession(request, response);
    const known = await recognise(request, this.#options.viewers, this.#sessions);
    if ("status" in known) return this.#refuse(request, response, known);
    if (path === "/events") return this.#follow(request, response, known);
    endEncoded(response, request, await this.#answer(request, asked, path, known));
  }

  async #answer(request: IncomingMessage, asked: URL, path: string, known: RecognisedViewer): Promise<EncodedAnswer> {
    if (request.method !== "GET") {
      this.#shared.clear();
      return encoded(await this.#judge(request, asked, path, known));
    }
    const make = async () => encoded(await this.#judge(request, asked, path, known));
    return await this.#shared.answer(known.viewer, `${asked.pathname}${asked.search}`, make);
  }

  /** The rights of a GET follow from the viewer alone, so that viewers with equal rights share its answer. */
  async #judge(request: IncomingMessage, asked: URL, path: string, known: RecognisedViewer): Promise<ApiAnswer> {
    const match = matchEndpoint(this.#options.endpoints, request.method ?? "", path);
    if (match.type === "unknown") return problem(404, `no such endpoint: ${base}${path}`);
    if (match.type === "other method") return problem(405, `${path} accepts ${match.methods.join(" and ")}`);
    const { endpoint, values } = match;
    const { viewer } = known;
    if (endpoint.access === "operators" && viewer.type !== "system") return problem(403, "only operators may see this");
    if (endpoint.changesState === true && !known.mayChange) return problem(403, needsToken);
    const query = asked.searchParams;
    if (endpoint.method === "GET") return await endpoint.answer({ viewer, values, query });
    const body = await jsonBody(request);
    return body.type === "problem" ? body.answer : await endpoint.answer({ viewer, values, query, body: body.value });
  }

  #follow(request: IncomingMessage, response: ServerResponse, { viewer, expiresAt }: RecognisedViewer): void {
    if (request.method !== "GET") return endJson(response, request, problem(405, "/events accepts GET"));
    const lastId = request.headers["last-event-id"];
    const accepted = this.#streams.open(response, {
      viewer,
      ...(expiresAt !== undefined && { expiresAt }),
      ...(typeof lastId === "string" && { lastId }),
    });
    if (!accepted) endJson(response, request, problem(503, "too many readers of events"));
  }

  async #serveSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (request.method ?? "") {
      case "GET":
      case "HEAD": {
        const known = await recognise(request, this.#options.viewers, this.#sessions);
        return "status" in known
          ? this.#refuse(request, response, known)
          : endJson(response, request, { status: 200, body: this.#sessionOf(known) });
      }
      case "POST":
        return await this.#openSession(request, response);
      case "DELETE": {
        const cookie = this.#sessions.close(request.headers.cookie);
        return endJson(response, request, { status: 200, body: {} }, { "set-cookie": cookie });
      }
      default:
        return endJson(response, request, problem(405, "/session accepts GET, POST and DELETE"));
    }
  }

  async #openSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await jsonBody(request);
    if (body.type === "problem") return endJson(response, request, body.answer);
    const token = tokenIn(body.value);
    if (token === undefined) return endJson(response, request, problem(400, 'expected {"token": "…"}'));
    const viewer = await authenticatedViewer(withToken(request, token), this.#options.viewers);
    if (viewer.type === "refused") return this.#refuse(request, response, viewer);
    const mayChange = viewer.type === "system";
    const cookie = this.#sessions.open(token);
    const { expiresAt } = this.#sessions.find(cookie) ?? {};
    const session = this.#sessionOf({
      viewer,
      by: "session",
      mayChange,
      ...(expiresAt !== undefined && { expiresAt }),
    });
    endJson(response, request, { status: 200, body: session }, { "set-cookie": cookie });
  }

  #sessionOf({ viewer, by, mayChange, expiresAt }: RecognisedViewer): Session {
    const { state, timeOf, endpoints } = this.#options;
    return {
      viewer: viewer.type === "system" ? { type: "operator", mayChange } : { ...viewer, type: "workload" },
      by,
      ...(expiresAt !== undefined && { expires: timeOf(expiresAt).toISOString() }),
      server: state.server,
      endpoints: endpoints
        .filter(({ access }) => viewer.type === "system" || access === "namespace")
        .map(({ path }) => path),
    };
  }

  /** The refused client gets no reasons. */
  #refuse(request: IncomingMessage, response: ServerResponse, { status, reasons }: RefusedViewer): void {
    const { url, socket } = request;
    this.#options.logger.warn({ page: url, peer: socket.remoteAddress, status, reasons }, "page refused");
    const error = status === 403 ? "only workloads of the mesh may see this" : "authentication required: enter a token";
    endJson(response, request, problem(status, error), status === 401 ? { "www-authenticate": "Bearer" } : {});
  }
}

type Headers = Readonly<Record<string, string>>;

function end(
  response: ServerResponse,
  { method }: IncomingMessage,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: Headers = {},
): void {
  const length = { "content-type": contentType, "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...deskHeaders, ...notStored, ...length, ...headers });
  response.end(method === "HEAD" ? undefined : body);
}

/** Compressed, if the client accepts that. An operator may be on a bad line. */
function endFile(response: ServerResponse, request: IncomingMessage, file: DeskFile, headers: Headers = {}): void {
  const accepted = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/u.test(request.headers["accept-encoding"]?.toString() ?? "");
  const body = accepted ? compressed(file) : file.body;
  const encoding = body === file.body ? {} : { "content-encoding": "gzip" };
  end(response, request, 200, file.contentType, body, { vary: "accept-encoding", ...encoding, ...headers });
}

function encoded({ status, body }: ApiAnswer): EncodedAnswer {
  return { status, text: `${JSON.stringify(body)}\n` };
}

function endEncoded(
  response: ServerResponse,
  request: IncomingMessage,
  { status, text }: EncodedAnswer,
  headers: Headers = {},
): void {
  // A body that was not read would be taken for the next request.
  const close = status === 413 ? { connection: "close" } : {};
  end(response, request, status, "application/json", text, { ...headers, ...close });
}

function endJson(response: ServerResponse, request: IncomingMessage, answer: ApiAnswer, headers: Headers = {}): void {
  endEncoded(response, request, encoded(answer), headers);
}

type JsonBody =
  | { readonly type: "body"; readonly value: unknown }
  | { readonly type: "problem"; readonly answer: ApiAnswer };

async function jsonBody(request: IncomingMessage): Promise<JsonBody> {
  const bytes = await readBody(request, maxBodyBytes);
  if (bytes === undefined) return { type: "problem", answer: problem(413, `the body exceeds ${maxBodyBytes} bytes`) };
  try {
    return { type: "body", value: JSON.parse(bytes.toString()) };
  } catch {
    return { type: "problem", answer: problem(400, "the body is not JSON") };
  }
}

function tokenIn(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("token" in body)) return undefined;
  const { token } = body;
  return typeof token === "string" && /^\S{1,65536}$/u.test(token) ? token : undefined;
}
