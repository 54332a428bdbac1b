import { type Limits, limitsOf } from "../../../lib/bounded/limit.ts";
import { bodyOf, readJson } from "../../../lib/bounded/read-bounded.ts";
import { MeshError, networkReason } from "../../../lib/errors.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { EurekaListing } from "./eureka-instance.ts";
import { eurekaLimits } from "./eureka-limits.ts";
import { readListing } from "./read-listing.ts";

/** One server of a cluster. */
export interface EurekaServer {
  /** As messages name it. */
  readonly url: string;
  /** Fetches everything. Rejects if the server does not answer, or not with a listing. */
  all(signal: AbortSignal): Promise<EurekaListing>;
  /** Fetches recent changes. Undefined if the server has no deltas. */
  changes(signal: AbortSignal): Promise<EurekaListing | undefined>;
}

export interface EurekaServerOptions {
  /** Such as `http://one:8761/eureka`. */
  readonly url: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** `NAME:PASSWORD`, called for each request. Absent if the server needs no login. */
  readonly login?: () => string;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits<typeof eurekaLimits>>;
}

/** An earlier answer, for servers that support conditional requests. */
interface Answer {
  readonly etag: string;
  readonly listing: EurekaListing;
}

/** A server behind HTTP. Node's `fetch` requests compression, follows redirects and reuses connections. */
export class HttpEurekaServer implements EurekaServer {
  readonly url: string;
  readonly #options: EurekaServerOptions;
  readonly #limits: Limits<typeof eurekaLimits>;
  #answer: Answer | undefined;

  constructor(options: EurekaServerOptions) {
    this.url = options.url.replace(/\/+$/u, "");
    this.#options = options;
    this.#limits = limitsOf(eurekaLimits, options.limits);
  }

  async all(signal: AbortSignal): Promise<EurekaListing> {
    const known = this.#answer;
    const { response, json } = await this.#get("apps", signal, known && { "if-none-match": known.etag });
    if (response.status === 304 && known !== undefined) return known.listing;
    const listing = this.#listingIn(response, json);
    const etag = response.headers.get("etag");
    this.#answer = etag === null ? undefined : { etag, listing };
    return listing;
  }

  async changes(signal: AbortSignal): Promise<EurekaListing | undefined> {
    const { response, json } = await this.#get("apps/delta", signal);
    // A server with deltas switched off answers 403. A server without deltas answers 404.
    if (response.status === 403 || response.status === 404) return undefined;
    return this.#listingIn(response, json);
  }

  #listingIn(response: Response, json: unknown): EurekaListing {
    if (!response.ok) throw new MeshError("source-unavailable", `${this.url} returned ${response.status}`);
    const listing = readListing(json);
    if (listing === undefined)
      throw new MeshError("source-unavailable", `${this.url} returned no list of applications`);
    return listing;
  }

  async #get(path: string, signal: AbortSignal, more: Readonly<Record<string, string>> = {}) {
    const { clock, timeoutMs } = this.#options;
    const late = new AbortController();
    const tooLate = new MeshError("timeout", `no answer within ${timeoutMs} ms`);
    const cancel = clock.after(timeoutMs, () => late.abort(tooLate));
    try {
      const both = AbortSignal.any([signal, late.signal]);
      const headers = { accept: "application/json", ...this.#authorization(), ...more };
      const response = await fetch(`${this.url}/${path}`, { headers, signal: both });
      return { response, json: response.ok ? await this.#jsonOf(path, response) : await response.body?.cancel() };
    } catch (thrown) {
      throw new MeshError("source-unavailable", `${this.url}: ${networkReason(thrown)}`, { cause: thrown });
    } finally {
      cancel();
    }
  }

  /** Node's `fetch` decompresses while reading. The limit counts decompressed bytes. */
  #jsonOf(path: string, response: Response): Promise<unknown> {
    const { answerBytes: maxBytes, answerValues: maxValues } = this.#limits;
    return readJson(bodyOf(response), { what: `the answer to ${path}`, maxBytes, maxValues });
  }

  #authorization(): Readonly<Record<string, string>> {
    const { login } = this.#options;
    return login === undefined ? {} : { authorization: `Basic ${Buffer.from(login()).toString("base64")}` };
  }
}
