import type { StringMatch } from "./string-match.ts";

/** The CORS response to browsers when a page of another origin calls. */
export interface CorsPolicy {
  /** Origins that any of these matches may call. */
  readonly origins: readonly StringMatch[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  /** Response headers that a page may read, beside those that are always readable. */
  readonly exposedHeaders: readonly string[];
  /** How long a browser may cache a preflight response; undefined uses the browser's default. */
  readonly maxAgeSeconds: bigint | undefined;
  /** Whether requests may carry credentials such as cookies; undefined omits the header. */
  readonly credentials: boolean | undefined;
  /** Whether a preflight request of an unmatched origin is forwarded to the service. */
  readonly forwardsUnmatched: boolean;
}
