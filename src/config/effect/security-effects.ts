import { authorizationPolicy } from "../kinds/authorization-policy.ts";
import type { KindEffects } from "./effect-table.ts";

/** A reference stays within its namespace. Each kind has one group, so neither can change alone. */
function reference(field: string): readonly string[] {
  return ["group", "kind", "namespace"].map((part) => `${field}.${part}`);
}

/** Fields of the security kinds without effect. */
export const securityEffects: readonly KindEffects[] = [
  {
    kind: authorizationPolicy,
    note: "Proxyless gRPC servers enforce ALLOW and DENY. They cannot ask a provider: requests that a rule of a CUSTOM policy matches are denied there. They cannot audit.",
    refused: [...reference("targetRef"), ...reference("targetRefs[]")],
  },
];
