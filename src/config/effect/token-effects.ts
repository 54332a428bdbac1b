import { requestAuthentication } from "../kinds/request-authentication.ts";
import type { KindEffects } from "./effect-table.ts";

/** Parts of the kinds about tokens. */
export const tokenEffects: readonly KindEffects[] = [
  {
    kind: requestAuthentication,
    note: "Proxyless gRPC servers check no tokens, because gRPC has no filter for them. For AuthorizationPolicies, every request there is one without a token.",
    serverFields: { "jwtRules[].timeout": "limits the time in which Binnacle fetches the key set, to 30 s at most" },
  },
];
