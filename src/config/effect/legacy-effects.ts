import { meshPolicy, policy } from "../kinds/legacy/authentication-policy.ts";
import type { KindEffects, NoEffect } from "./effect-table.ts";

const tokensOfPeers: NoEffect = {
  reason: "tokens of peers are not checked, so without mutual TLS the policy denies everything: write it under origins",
  security: true,
};
const regex: NoEffect = {
  reason:
    "an AuthorizationPolicy has no regular expressions: an included path stands for all, an excluded one for none",
};

const fields: Readonly<Record<string, NoEffect>> = {
  "peers[].jwt": tokensOfPeers,
  "peers[].mtls.allowTls": { reason: "proxies never read it: write the mode PERMISSIVE" },
  peerIsOptional: { reason: "the mode alone decides: write PERMISSIVE for optional mutual TLS" },
  "origins[].jwt.triggerRules[].excludedPaths[].regex": regex,
  "origins[].jwt.triggerRules[].includedPaths[].regex": regex,
  principalBinding: {
    reason: "an AuthorizationPolicy names both: principals of peers, and requestPrincipals of tokens",
  },
};

/** Fields of the kinds that are converted to today's policies, as far as there is no such policy. */
export const legacyEffects: readonly KindEffects[] = [
  { kind: policy, fields },
  { kind: meshPolicy, fields, refused: ["targets[]"] },
];
