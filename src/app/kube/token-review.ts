import type { ReviewToken, TokenReviewStatus } from "../../transport/credentials/token-review-authenticator.ts";
import { ask, type KubeCalls } from "./kube-calls.ts";

/** Shows tokens to an API server. Rejects when that cannot be asked, or does not let us ask. */
export function reviewBy(calls: KubeCalls): ReviewToken {
  return async (token, audiences) => {
    const body = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token, audiences },
    };
    const path = "/apis/authentication.k8s.io/v1/tokenreviews";
    const answer = await ask(calls, { method: "POST", path, body });
    // The API server has checked its own answer.
    return (answer as { readonly status?: TokenReviewStatus }).status ?? {};
  };
}
