import type { RequestResources, Resources } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";

/** The promises of every stream, whatever sinks do, and of the system as a whole. */
export type McpPromise =
  | "one at a time"
  | "nonces count"
  | "nothing twice"
  | "rejections rest"
  | "strangers change nothing"
  | "truth"
  | "answers"
  | "patience"
  | "tidiness"
  | "encoded once";

interface Rejected {
  readonly version: string;
  readonly code: number;
  readonly partial: boolean;
}

/** Watches one stream from outside and reports the promises it breaks. */
export class StreamMonitor {
  readonly #broken: (promise: McpPromise, what: string) => void;
  readonly #served: ReadonlySet<string>;
  readonly #open = new Map<string, { readonly nonce: string; readonly version: string }>();
  /**
   * Open repeated requests per collection. Each allows one more push, even after a NACK or with a push in flight. Such
   * requests may wait.
   */
  readonly #asked = new Map<string, number>();
  readonly #rejected = new Map<string, Rejected>();
  readonly #versions = new Map<string, string>();
  readonly sent = new Map<string, number>();
  #nonce = 0;

  constructor(served: ReadonlySet<string>, broken: (promise: McpPromise, what: string) => void) {
    this.#served = served;
    this.#broken = broken;
  }

  pushed(push: Resources): void {
    const { collection, nonce, systemVersionInfo: version } = push;
    if (nonce !== String(++this.#nonce)) this.#broken("nonces count", `${collection} has nonce ${nonce}`);
    if (!this.#served.has(collection)) return;
    const fault = this.#faultOf(push);
    if (fault !== undefined && !this.#wasAsked(collection)) this.#broken(fault, `${collection} ${version} ${nonce}`);
    this.#rejected.delete(collection);
    this.#versions.set(collection, version);
    this.#open.set(collection, { nonce, version });
    this.sent.set(collection, (this.sent.get(collection) ?? 0) + 1);
  }

  /** The promise that a push breaks if nobody requested it. The first push, for example, needs a request. */
  #faultOf({ collection, incremental, systemVersionInfo: version }: Resources): McpPromise | undefined {
    if (this.#open.has(collection)) return "one at a time";
    const rejected = this.#rejected.get(collection);
    const last = this.#versions.get(collection);
    if (rejected === undefined) return last === version || last === undefined ? "nothing twice" : undefined;
    const repeated = rejected.version === version && rejected.code === GrpcStatus.INVALID_ARGUMENT;
    return repeated || (incremental && !rejected.partial) ? "rejections rest" : undefined;
  }

  /** Consumes one request. */
  #wasAsked(collection: string): boolean {
    const asked = this.#asked.get(collection) ?? 0;
    this.#asked.set(collection, Math.max(0, asked - 1));
    return asked > 0;
  }

  /** Records a request that reached the source. False for a request that must change nothing. */
  requested({ collection, responseNonce, errorDetail }: RequestResources): boolean {
    if (!this.#served.has(collection)) return true;
    if (responseNonce === "") {
      this.#asked.set(collection, (this.#asked.get(collection) ?? 0) + 1);
      return true;
    }
    const open = this.#open.get(collection);
    if (open?.nonce !== responseNonce) return false;
    this.#open.delete(collection);
    if (errorDetail === undefined) return true;
    const partial = errorDetail.details.length > 0;
    this.#rejected.set(collection, { version: open.version, code: errorDetail.code, partial });
    return true;
  }
}
