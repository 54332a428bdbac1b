import {
  type RequestAuthentication as IstioRequestAuthentication,
  type JWTRule,
  JWTRule_Presence,
} from "#gen/istio/security/v1beta1/request_authentication_pb.js";
import type { Config } from "../../../config/config.ts";
import { hasUsableKey } from "../../../config/grammar/json-web-key.ts";
import { durationToMs } from "../../../config/grammar/duration.ts";
import { canonicalKey } from "../../../lib/canonical-key.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import type { FetchedKeySet, KeySetPlace } from "../../model/policy/key-set.ts";
import type { JwtRule, RequestAuthentication } from "../../model/policy/request-authentication.ts";
import { workloadPolicyOf } from "./workload-policy.ts";

/** The fetched key set under a key, if there is one. */
export type KeySetLookup = (key: string) => FetchedKeySet | undefined;

/** Contains the texts of the key sets, so that a new key set changes the policies that use it, and nothing else. */
export function requestAuthenticationOf(
  config: Config<IstioRequestAuthentication>,
  keySetOf: KeySetLookup,
): RequestAuthentication {
  return { ...workloadPolicyOf(config), rules: config.spec.jwtRules.map((rule) => jwtRuleOf(rule, keySetOf)) };
}

function jwtRuleOf(rule: JWTRule, keySetOf: KeySetLookup): JwtRule {
  const place = placeOf(rule);
  const keySet = place === undefined ? listedKeys(rule.jwks) : keySetOf(canonicalKey(place))?.text;
  return {
    issuer: rule.issuer,
    audiences: rule.audiences,
    place,
    timeoutMs: rule.timeout && durationToMs(rule.timeout),
    keySet,
    hasUsableKey: keySet !== undefined && hasUsableKey(keySet),
    required: rule.presence === JWTRule_Presence.REQUIRED,
    headers: rule.fromHeaders.map(({ name, prefix }) => ({ name, prefix })),
    parameters: rule.fromParams,
    cookies: rule.fromCookies,
    forwardsToken: rule.forwardOriginalToken,
    payloadHeader: rule.outputPayloadToHeader,
    claimHeaders: rule.outputClaimToHeaders.map(({ header, claim }) => ({ header, claim })),
    spaceDelimitedClaims: rule.spaceDelimitedClaims,
  };
}

function placeOf({ jwks, jwksUri, issuer }: JWTRule): KeySetPlace | undefined {
  if (jwks !== "") return undefined;
  return jwksUri === "" ? { type: "discovery", issuer } : { type: "uri", uri: jwksUri };
}

/** Validation allows a single key. Envoy reads lists only. */
function listedKeys(jwks: string): string {
  const parsed = parseJson(jwks);
  return isMapping(parsed) && parsed["keys"] === undefined ? JSON.stringify({ keys: [parsed] }) : jwks;
}
