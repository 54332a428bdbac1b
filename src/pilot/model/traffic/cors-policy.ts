import type { StringMatch } from "./string-match.ts";

/** What browsers are told when a page of another origin calls. */
export interface CorsPolicy {
  /** Pages of an origin that any of these accepts may call. */
  readonly origins: readonly StringMatch[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  /** Of the response, beside those that a page may always read. */
  readonly exposedHeaders: readonly string[];
  /** How long a browser may go by an answer; undefined leaves it to the browser. */
  readonly maxAgeSeconds: bigint | undefined;
  /** Whether cookies and the like may come along; undefined says nothing about it. */
  readonly credentials: boolean | undefined;
  /** Whether a preflight of an origin that nothing accepts reaches the service. */
  readonly forwardsUnmatched: boolean;
}
