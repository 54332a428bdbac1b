import { X509Certificate } from "node:crypto";
import { isIssuedUnder } from "../../ca/issued-under.ts";
import { trustDomainOf } from "../../lib/spiffe-id.ts";
import type {
  Authenticator,
  AuthenticatorResult,
  ClientCertificate,
} from "../../transport/credentials/authenticator.ts";

export interface RenewalRules {
  /** The root certificates of our own authority, PEM. */
  readonly roots: () => readonly string[];
  /** The certificates between the authority's root and workloads, PEM. */
  readonly chain: () => readonly string[];
  readonly trustDomains: () => readonly string[];
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
}

/**
 * Identifies callers that renew a certificate by the certificate itself. Only one of our own authority counts: TLS may
 * also trust others, which must not name workloads of this mesh. It must be valid at the request, because a connection
 * may outlive the certificate.
 */
export function renewalAuthenticator(rules: RenewalRules): Authenticator {
  return { name: "own certificate", authenticate: ({ certificate }) => resultOf(certificate, rules) };
}

function resultOf(shown: ClientCertificate, rules: RenewalRules): AuthenticatorResult {
  if (shown.type === "none") return { type: "unknown", reason: "none was shown" };
  if (shown.type === "invalid") return { type: "refused", reason: shown.reason };
  const { certificate, uris } = shown;
  if (certificate === undefined) return { type: "refused", reason: "it cannot be read" };
  if (rules.timeOfDay() > certificate.validToDate.getTime()) return { type: "refused", reason: "it has expired" };
  const [uri = "", ...others] = uris;
  if (others.length > 0) return { type: "refused", reason: "it has several identities" };
  if (!rules.trustDomains().includes(trustDomainOf(uri) ?? "")) {
    return { type: "refused", reason: `${JSON.stringify(uri)} is not an identity of this mesh` };
  }
  const [roots, chain] = [rules.roots(), rules.chain()].map((pems) => pems.map((pem) => new X509Certificate(pem)));
  if (!isIssuedUnder(certificate, roots ?? [], chain)) {
    return { type: "refused", reason: "another authority has signed it" };
  }
  return { type: "identified", identities: [uri] };
}
