import { errorFrom } from "../../lib/errors.ts";
import type { Authenticator, Finding } from "./authenticator.ts";
import { bearerToken } from "./bearer-token.ts";
import { serviceAccountId } from "./service-account.ts";

/** What an API server says of a token: the `status` of a TokenReview, as far as we read it. */
export interface TokenReviewStatus {
  readonly authenticated?: boolean;
  /** Whom it is meant for, of those that were asked about. */
  readonly audiences?: readonly string[];
  readonly user?: { readonly username?: string };
  /** Why it could not be judged, or is no good: the call itself may have succeeded. */
  readonly error?: string;
}

/** Shows a token to an API server. Rejects when that cannot be asked. */
export type ReviewToken = (token: string, audiences: readonly string[]) => Promise<TokenReviewStatus>;

export interface TokenReviewRules {
  /** A token must be meant for one of these. */
  readonly audiences: readonly string[];
  readonly review: ReviewToken;
  /** The first is the mesh's own, which an account's name is completed with. */
  readonly trustDomains: () => readonly string[];
}

/**
 * Knows clients by the token of a service account, which the API server of its cluster judges. While that cannot be
 * asked nobody is known: an answer that never came is no consent.
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
): Finding {
  const { authenticated = false, audiences = [], user: { username = "" } = {}, error = "" } = status;
  if (error !== "") return { type: "unknown", reason: error };
  if (!authenticated) return { type: "unknown", reason: "the API server does not know it" };
  // A server that knows nothing of audiences leaves them out: it would take a token that is meant for itself.
  if (!audiences.some((audience) => wanted.includes(audience))) {
    return { type: "unknown", reason: `it is not meant for ${wanted.join(" or ")}` };
  }
  const identity = serviceAccountId(username, trustDomain);
  if (identity !== undefined) return { type: "identified", identities: [identity] };
  return { type: "unknown", reason: `${JSON.stringify(username)} is no service account` };
}
