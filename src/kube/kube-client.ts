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
  /** Whether the answer is one object, or a list of them, which may be larger. One object unless said otherwise. */
  readonly answer?: "object" | "list";
  readonly signal?: AbortSignal;
}

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
 * A refusal is a `KubeError`; what does not get through at all is a `MeshError` `unavailable` or `timeout`, and what is
 * more than {@link kubeLimits} allow is one `limit-exceeded`.
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

  /** The namespace of the context; undefined where it names none. */
  get namespace(): string | undefined {
    return this.#config.getContextObject(this.#config.getCurrentContext())?.namespace;
  }

  /** By the clock that its time limits are kept with. */
  now(): number {
    return this.#clock.now();
  }

  /** The answer, parsed. */
  async json(request: KubeRequest): Promise<unknown> {
    const answer = await this.open(request);
    const whole = this.#inTime(answer, readJson(answer, this.#limitOf(request)));
    return await whole.catch((cause: unknown) => this.#fail(request, cause));
  }

  /** Resolves where the server agrees, whatever it says. */
  async agrees(request: KubeRequest): Promise<void> {
    const answer = await this.open(request);
    const whole = this.#inTime(answer, readBounded(answer, this.#limitOf(request)));
    await whole.catch((cause: unknown) => this.#fail(request, cause));
  }

  /** The answer as it comes: resolves with its head. */
  async open(request: KubeRequest): Promise<IncomingMessage> {
    const response = await this.#send(request).catch((cause: unknown) => this.#fail(request, cause));
    const { statusCode: code = 0, headers } = response;
    if (code >= 200 && code < 300) return response;
    if (code === 401) this.#reload();
    // Proxies before an API server answer in words of their own.
    const whole = this.#inTime(response, readBounded(response, this.#limitOf({ path: request.path })));
    const body = await whole.catch(() => "");
    throw new KubeError(parseJson(body.toString()), { code, retryAfter: headers["retry-after"] });
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
    const { headMs } = this.limits;
    const late = new MeshError("timeout", `no answer within ${headMs / 1000} s`);
    return promise.finally(this.#clock.after(headMs, () => sent.destroy(late)));
  }

  /** A server that drips its answer has died, as far as we are concerned. */
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
