import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { errorFrom } from "../../lib/errors.ts";
import { trustDomainOf } from "../../lib/spiffe-id.ts";
import type { Authenticator, AuthenticatorResult } from "./authenticator.ts";
import { bearerToken } from "./bearer-token.ts";
import { serviceAccountId } from "./service-account.ts";

/** Signature algorithms with a private key. A shared secret could leak from this server. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

/** The allowed clock difference between the issuer and this machine. */
const clockTolerance = "30s";

export interface TokenRules {
  readonly issuer: string;
  /** A token must have one of these audiences. */
  readonly audiences: readonly string[];
  readonly keyFor: JWTVerifyGetKey;
  /**
   * The first is the mesh's own trust domain, which completes the name of a service account. The others are its
   * aliases.
   */
  readonly trustDomains: () => readonly string[];
}

/**
 * Identifies clients by a JWT of one OIDC issuer, sent as a bearer token. Its subject is a Kubernetes service account,
 * or a SPIFFE id of the mesh.
 */
export function tokenAuthenticator(rules: TokenRules): Authenticator {
  return {
    name: `token of ${rules.issuer}`,
    async authenticate({ headers }) {
      const token = bearerToken(headers);
      if (token === undefined) return { type: "unknown", reason: "none was sent" };
      try {
        const { payload } = await verified(token, rules);
        return findingOf(payload, rules.trustDomains());
      } catch (thrown) {
        return { type: "unknown", reason: reasonOf(thrown) };
      }
    },
  };
}

function verified(token: string, { issuer, audiences, keyFor }: TokenRules) {
  return jwtVerify(token, keyFor, {
    issuer,
    audience: [...audiences],
    algorithms,
    clockTolerance,
    // A token without an expiry would be valid forever.
    requiredClaims: ["exp", "sub"],
  });
}

function findingOf({ sub = "" }: JWTPayload, trustDomains: readonly string[]): AuthenticatorResult {
  const [trustDomain = ""] = trustDomains;
  const account = serviceAccountId(sub, trustDomain);
  if (account !== undefined) return { type: "identified", identities: [account] };
  if (trustDomains.includes(trustDomainOf(sub) ?? "")) return { type: "identified", identities: [sub] };
  return {
    type: "unknown",
    reason: `its subject ${JSON.stringify(sub)} is no service account, and no SPIFFE id of the mesh`,
  };
}

/** The reason in words for an operator who debugs a refusal. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof errors.JWTExpired) return "it has expired";
  if (thrown instanceof errors.JWKSNoMatchingKey) return "its key is not among the issuer's";
  return errorFrom(thrown).message;
}
