import type { KeySetPlace } from "./key-set.ts";
import type { WorkloadPolicy } from "./workload-policy.ts";

/** Decides which tokens the workloads accept. */
export interface RequestAuthentication extends WorkloadPolicy {
  readonly rules: readonly JwtRule[];
}

/** The tokens of one issuer. */
export interface JwtRule {
  readonly issuer: string;
  /** A token needs one of them; empty for any audience. */
  readonly audiences: readonly string[];
  /** Where the keys are fetched from; undefined if the user wrote the keys into the policy. */
  readonly place: KeySetPlace | undefined;
  /** The longest time that a fetch of the keys may take; undefined for the default. */
  readonly timeoutMs: number | undefined;
  /** The keys as JSON; undefined as long as they are not fetched: then proxies reject every token of the issuer. */
  readonly keySet: string | undefined;
  /** Whether one of the keys is usable. If none is, proxies reject every token, too. */
  readonly hasUsableKey: boolean;
  /** Whether requests without a token of this issuer are rejected, too. */
  readonly required: boolean;
  /** The places of tokens in a request. If all lists are empty, Envoy's defaults apply. */
  readonly headers: readonly TokenHeader[];
  readonly parameters: readonly string[];
  readonly cookies: readonly string[];
  /** Whether the workload gets the token, too. */
  readonly forwardsToken: boolean;
  /** The header that carries the payload to the workload; "" for none. */
  readonly payloadHeader: string;
  readonly claimHeaders: readonly ClaimHeader[];
  /** Claims, besides `scope` and `permission`, that contain a list separated by spaces. */
  readonly spaceDelimitedClaims: readonly string[];
}

interface TokenHeader {
  readonly name: string;
  readonly prefix: string;
}

/** A header that carries a claim to the workload. */
interface ClaimHeader {
  readonly header: string;
  readonly claim: string;
}
