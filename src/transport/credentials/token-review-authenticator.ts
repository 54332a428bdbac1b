import { errorFrom } from "../../lib/errors.ts";
import type { Authenticator, AuthenticatorResult } from "./authenticator.ts";
import { bearerToken } from "./bearer-token.ts";
import { serviceAccountId } from "./service-account.ts";

/** The API server's review of a token: the fields in use from the `status` of a TokenReview. */
export interface TokenReviewStatus {
  readonly authenticated?: boolean;
  /** The requested audiences that the token is valid for. */
  readonly audiences?: readonly string[];
  readonly user?: { readonly username?: string };
  /** Why the review failed or the token is bad. The call itself may have succeeded. */
  readonly error?: string;
}

/** Sends a token to an API server for review. Rejects when the API server is unreachable. */
export type ReviewToken = (token: string, audiences: readonly string[]) => Promise<TokenReviewStatus>;

export interface TokenReviewRules {
  /** A token must have one of these audiences. */
  readonly audiences: readonly string[];
  readonly review: ReviewToken;
  /** The first is the mesh's own trust domain, which completes the name of a service account. */
  readonly trustDomains: () => readonly string[];
}

/**
 * Identifies clients by a service account token, which the API server of its cluster reviews. While the API server is
 * unreachable, no client is identified: a missing answer is no approval.
 */
export function tokenReviewAuthenticator({ audiences, review, trustDomains }: TokenReviewRules): Authenticator {
  return {
    name: "token review",
    async authenticate({ headers }) {
      const token = bearerToken(headers);
      if (token === undefined) return { type: "unknown", reason: "no token was sent" };
      try {
        return findingOf(await review(token, audiences), audiences, trustDomains());
      } catch (thrown) {
        return { type: "unknown", reason: `the API server could not be asked: ${errorFrom(thrown).message}` };
      }
    },
  };
}

function findingOf(
  status: TokenReviewStatus,
  wanted: readonly string[],
  [trustDomain = ""]: readonly string[],
): AuthenticatorResult {
  const { authenticated = false, audiences = [], user: { username = "" } = {}, error = "" } = status;
  if (error !== "") return { type: "unknown", reason: error };
  if (!authenticated) return { type: "unknown", reason: "the API server does not know it" };
  // A server without audience support omits the audiences. It would accept a token for itself.
  if (!audiences.some((audience) => wanted.includes(audience))) {
    return { type: "unknown", reason: `it is not meant for ${wanted.join(" or ")}` };
  }
  const identity = serviceAccountId(username, trustDomain);
  if (identity !== undefined) return { type: "identified", identities: [identity] };
  return { type: "unknown", reason: `${JSON.stringify(username)} is no service account` };
}
