import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, type RequestOptions, request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
import type { KubeConfig } from "@kubernetes/client-node";
import { MeshError, networkReason } from "../lib/errors.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { Clock } from "../lib/time/clock.ts";
import { KubeError } from "./kube-error.ts";
import { type KubeAccess, loadKubeconfig } from "./kubeconfig.ts";

export interface KubeRequest {
  /** `GET` unless said otherwise. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root of the API: `/api/v1/services`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Of the body: patches come in several forms. `application/json` unless said otherwise. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** A server that has not begun to answer after this time will not. */
const answerMs = 30_000;
/** One that has begun and does not come to an end has died meanwhile. */
const wholeAnswerMs = 60_000;
/** How soon the kernel looks whether a silent peer is still there. */
const keepAliveMs = 30_000;

/**
 * Calls one API server, with connections that are used again. `new KubeClient(access, clock)` throws
 * `source-unavailable` for a kubeconfig that cannot be used; whether the server can be reached is seen with the first
 * call. Credentials are those of the kubeconfig, whatever it takes to get them (files, plugins, OIDC); files that
 * rotate are read again, and all of it is when the server refuses to know us.
 *
 *     const client = new KubeClient({ kubeconfig: options.kubeconfig, context: undefined }, clock);
 *     const lease = await client.json({ path: "/apis/coordination.k8s.io/v1/namespaces/shop/leases/binnacle" });
 *
 * A refusal is a `KubeError`; what does not get through at all is a `MeshError` `unavailable` or `timeout`.
 */
export class KubeClient implements Disposable {
  readonly #access: KubeAccess;
  readonly #clock: Clock;
  readonly #agents: Readonly<Record<string, HttpAgent>> = {
    "https:": new HttpsAgent({ keepAlive: true }),
    "http:": new HttpAgent({ keepAlive: true }),
  };
  #config: KubeConfig;

  constructor(access: KubeAccess, clock: Clock) {
    this.#access = access;
    this.#clock = clock;
    this.#config = loadKubeconfig(access);
  }

  /** The namespace of the context; undefined where it names none. */
  get namespace(): string | undefined {
    return this.#config.getContextObject(this.#config.getCurrentContext())?.namespace;
  }

  /** The answer, parsed. */
  async json(request: KubeRequest): Promise<unknown> {
    const whole = this.#textOf(await this.open(request));
    return parseBody(await whole.catch((cause: unknown) => this.#fail(request, cause)));
  }

  /** The answer as it comes: resolves with its head. */
  async open(request: KubeRequest): Promise<IncomingMessage> {
    const response = await this.#send(request).catch((cause: unknown) => this.#fail(request, cause));
    const { statusCode: code = 0, headers } = response;
    if (code >= 200 && code < 300) return response;
    if (code === 401) this.#reload();
    // Proxies before an API server answer in words of their own.
    const body = await this.#textOf(response).catch(() => "");
    throw new KubeError(parseJson(body), { code, retryAfter: headers["retry-after"] });
  }

  /** Connections that nobody uses are closed. */
  [Symbol.dispose](): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #send(request: KubeRequest): Promise<IncomingMessage> {
    const url = this.#urlOf(request);
    const options: RequestOptions = { method: request.method ?? "GET", headers: {} };
    await this.#config.applyToHTTPSOptions(options);
    request.signal?.throwIfAborted();
    // Its agents keep no connections, and the certificates of their first day.
    if (this.#config.getCurrentCluster()?.proxyUrl === undefined) options.agent = this.#agents[url.protocol];
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = (url.protocol === "https:" ? requestHttps : requestHttp)(url, { ...options, signal: request.signal });
    for (const [name, value] of Object.entries(headersOf(request))) sent.setHeader(name, value);
    sent.on("socket", (socket) => socket.setKeepAlive(true, keepAliveMs));
    sent.on("response", resolve);
    sent.on("error", reject);
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    // Node does not say it by itself where a body is unusual, as with DELETE, and the server wants to know.
    if (body !== undefined) sent.setHeader("content-length", body.length);
    sent.end(body);
    const late = new MeshError("timeout", `no answer within ${answerMs / 1000} s`);
    return promise.finally(this.#clock.after(answerMs, () => sent.destroy(late)));
  }

  #textOf(answer: IncomingMessage): Promise<string> {
    const late = new MeshError("timeout", `the answer was not complete within ${wholeAnswerMs / 1000} s`);
    return text(answer).finally(this.#clock.after(wholeAnswerMs, () => answer.destroy(late)));
  }

  #urlOf({ path, query = {} }: KubeRequest): URL {
    const url = new URL(`${this.#config.getCurrentCluster()?.server ?? ""}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  /** Whatever did not work, newer credentials may. Those that cannot be read change nothing. */
  #reload(): void {
    try {
      this.#config = loadKubeconfig(this.#access);
    } catch {
      // The next call fails as this one did, and says why.
    }
  }

  #fail({ signal }: KubeRequest, thrown: unknown): never {
    if (signal?.aborted) throw new MeshError("cancelled", "the request was called off", { cause: thrown });
    this.#reload();
    if (thrown instanceof MeshError) throw thrown;
    throw new MeshError("unavailable", `the API server cannot be reached: ${networkReason(thrown)}`, { cause: thrown });
  }
}

function headersOf({ accept = "application/json", contentType = "application/json", body }: KubeRequest) {
  return { accept, "user-agent": "binnacle", ...(body !== undefined && { "content-type": contentType }) };
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch (cause) {
    throw new MeshError("unavailable", "the API server's answer is cut off, or no JSON", { cause });
  }
}
