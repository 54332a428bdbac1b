import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, type RequestOptions, request as requestHttps } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { type Limits, limitsOf } from "../lib/bounded/limit.ts";
import { type JsonLimit, readBounded, readJson } from "../lib/bounded/read-bounded.ts";
import { MeshError, networkReason } from "../lib/errors.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { Clock } from "../lib/time/clock.ts";
import { KubeError } from "./kube-error.ts";
import { kubeLimits } from "./kube-limits.ts";
import { type KubeAccess, loadKubeconfig } from "./kubeconfig.ts";

export interface KubeRequest {
  /** The default is `GET`. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root of the API: `/api/v1/services`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Content type of the body, because patches have several formats. The default is `application/json`. */
  readonly contentType?: string;
  readonly accept?: string;
  /** Whether the response is one object or a list, which may be larger. The default is one object. */
  readonly answer?: "object" | "list";
  readonly signal?: AbortSignal;
}

/** Idle time before the first TCP keep-alive probe on a silent connection. */
const keepAliveMs = 30_000;

/**
 * Calls one API server over connections that it reuses. `new KubeClient(access, clock)` throws `source-unavailable` for
 * an unusable kubeconfig. The first call shows whether the server is reachable. Credentials come from the kubeconfig:
 * files, plugins or OIDC. The client reads rotated files again. It reloads all credentials when the server answers that
 * it does not know us.
 *
 * ```ts
 * const client = new KubeClient({ kubeconfig: options.kubeconfig, context: undefined }, clock);
 * const lease = await client.json({ path: "/apis/coordination.k8s.io/v1/namespaces/shop/leases/binnacle" });
 * ```
 *
 * A refusal is a `KubeError`. A request that does not get through is a `MeshError` `unavailable` or `timeout`. A
 * response beyond {@link kubeLimits} is a `MeshError` `limit-exceeded`.
 */
export class KubeClient implements Disposable {
  readonly limits: Limits<typeof kubeLimits>;
  readonly #access: KubeAccess;
  readonly #clock: Clock;
  readonly #agents: Readonly<Record<string, HttpAgent>> = {
    "https:": new HttpsAgent({ keepAlive: true }),
    "http:": new HttpAgent({ keepAlive: true }),
  };
  #config: KubeConfig;

  constructor(access: KubeAccess, clock: Clock, limits: Partial<Limits<typeof kubeLimits>> = {}) {
    this.limits = limitsOf(kubeLimits, limits);
    this.#access = access;
    this.#clock = clock;
    this.#config = loadKubeconfig(access);
  }

  /** The namespace of the context; undefined if the context names none. */
  get namespace(): string | undefined {
    return this.#config.getContextObject(this.#config.getCurrentContext())?.namespace;
  }

  /** Time of the clock that measures the time limits. */
  now(): number {
    return this.#clock.now();
  }

  /** Returns the parsed response body. */
  async json(request: KubeRequest): Promise<unknown> {
    const answer = await this.open(request);
    const whole = this.#inTime(answer, readJson(answer, this.#limitOf(request)));
    return await whole.catch((cause: unknown) => this.#fail(request, cause));
  }

  /** Resolves if the server accepts the request. Ignores the response body. */
  async agrees(request: KubeRequest): Promise<void> {
    const answer = await this.open(request);
    const whole = this.#inTime(answer, readBounded(answer, this.#limitOf(request)));
    await whole.catch((cause: unknown) => this.#fail(request, cause));
  }

  /** Resolves with the response head; the caller reads the body as a stream. */
  async open(request: KubeRequest): Promise<IncomingMessage> {
    const response = await this.#send(request).catch((cause: unknown) => this.#fail(request, cause));
    const { statusCode: code = 0, headers } = response;
    if (code >= 200 && code < 300) return response;
    if (code === 401) this.#reload();
    // Proxies in front of an API server answer in their own format.
    const whole = this.#inTime(response, readBounded(response, this.#limitOf({ path: request.path })));
    const body = await whole.catch(() => "");
    throw new KubeError(parseJson(body.toString()), { code, retryAfter: headers["retry-after"] });
  }

  /** Closes idle connections. */
  [Symbol.dispose](): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #send(request: KubeRequest): Promise<IncomingMessage> {
    const url = this.#urlOf(request);
    const options: RequestOptions = { method: request.method ?? "GET", headers: {} };
    await this.#config.applyToHTTPSOptions(options);
    request.signal?.throwIfAborted();
    // The agents of the library keep no connections and never reload certificates.
    if (this.#config.getCurrentCluster()?.proxyUrl === undefined) options.agent = this.#agents[url.protocol];
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = (url.protocol === "https:" ? requestHttps : requestHttp)(url, { ...options, signal: request.signal });
    for (const [name, value] of Object.entries(headersOf(request))) sent.setHeader(name, value);
    sent.on("socket", (socket) => socket.setKeepAlive(true, keepAliveMs));
    sent.on("response", resolve);
    sent.on("error", reject);
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    // Node does not set the length for methods without a usual body, such as DELETE. The server requires it.
    if (body !== undefined) sent.setHeader("content-length", body.length);
    sent.end(body);
    const { headMs } = this.limits;
    const late = new MeshError("timeout", `no answer within ${headMs / 1000} s`);
    return promise.finally(this.#clock.after(headMs, () => sent.destroy(late)));
  }

  /** Treats a server that sends its response too slowly as dead. */
  #inTime<T>(answer: IncomingMessage, reading: Promise<T>): Promise<T> {
    const { answerMs } = this.limits;
    const late = new MeshError("timeout", `the answer was not complete within ${answerMs / 1000} s`);
    return reading.finally(this.#clock.after(answerMs, () => answer.destroy(late)));
  }

  #limitOf({ path, answer = "object" }: KubeRequest): JsonLimit {
    const { listBytes, listValues, objectBytes, objectValues } = this.limits;
    const what = `the API server's answer to ${path}`;
    if (answer === "list") return { what, maxBytes: listBytes, maxValues: listValues };
    return { what, maxBytes: objectBytes, maxValues: objectValues };
  }

  #urlOf({ path, query = {} }: KubeRequest): URL {
    const url = new URL(`${this.#config.getCurrentCluster()?.server ?? ""}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  /** Reloads the credentials, because newer ones may work. Unreadable credentials change nothing. */
  #reload(): void {
    try {
      this.#config = loadKubeconfig(this.#access);
    } catch {
      // The next call fails in the same way and reports the reason.
    }
  }

  #fail({ signal }: KubeRequest, thrown: unknown): never {
    if (signal?.aborted) throw new MeshError("cancelled", "the request was cancelled", { cause: thrown });
    this.#reload();
    if (thrown instanceof MeshError) throw thrown;
    throw new MeshError("unavailable", `the API server cannot be reached: ${networkReason(thrown)}`, { cause: thrown });
  }
}

function headersOf({ accept = "application/json", contentType = "application/json", body }: KubeRequest) {
  return { accept, "user-agent": "binnacle", ...(body !== undefined && { "content-type": contentType }) };
}
