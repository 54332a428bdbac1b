import type { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { errorFrom } from "../../lib/errors.ts";

/** The certificate that a client presented in its TLS handshake. */
export type ClientCertificate =
  | { readonly type: "none" }
  /** Expired, not valid yet, or signed by an unknown authority. */
  | { readonly type: "invalid"; readonly reason: string }
  /** The chain is verified, so the names are trusted. `hosts` are DNS names and IP addresses. */
  | {
      readonly type: "verified";
      readonly uris: readonly string[];
      readonly hosts?: readonly string[];
      /** As the client sent it, with its issuers as far as the client sent them. */
      readonly certificate?: X509Certificate;
    };

/** The credentials of a client, from its connection and its request. They are not verified yet. */
export interface Credentials {
  readonly certificate: ClientCertificate;
  readonly headers: IncomingHttpHeaders;
}

/** The result of one authenticator. */
export type AuthenticatorResult =
  /** The client has these verified identities. */
  | { readonly type: "identified"; readonly identities: readonly string[] }
  /** The client has no credentials for this authenticator, or invalid ones. The next authenticator may identify it. */
  | { readonly type: "unknown"; readonly reason: string }
  /** The credentials are bad. The client is refused, whatever other credentials it has. */
  | { readonly type: "refused"; readonly reason: string };

/** One authentication method. */
export interface Authenticator {
  /** For the log: the authenticator that did not identify the client. */
  readonly name: string;
  authenticate(credentials: Credentials): AuthenticatorResult | Promise<AuthenticatorResult>;
}

/** The result of all authenticators. The reasons go only to the log: a refused client does not learn them. */
export type Authentication =
  | { readonly type: "identified"; readonly identities: readonly string[] }
  | { readonly type: "refused"; readonly reasons: readonly string[] };

/** Authenticates a client. Never rejects. */
export type Authenticate = (credentials: Credentials) => Promise<Authentication>;

/** Runs one authenticator after the other. The first one that identifies the client decides. */
export function authenticateBy(authenticators: readonly Authenticator[]): Authenticate {
  return async (credentials) => {
    const reasons: string[] = [];
    for (const authenticator of authenticators) {
      const result = await resultOf(authenticator, credentials);
      if (result.type === "identified") return result;
      reasons.push(`${authenticator.name}: ${result.reason}`);
      if (result.type === "refused") break;
    }
    return { type: "refused", reasons };
  };
}

/** A bug in one authenticator admits no client, and the next authenticator still runs. */
async function resultOf(authenticator: Authenticator, credentials: Credentials): Promise<AuthenticatorResult> {
  try {
    return await authenticator.authenticate(credentials);
  } catch (thrown) {
    return { type: "unknown", reason: `failed: ${errorFrom(thrown).message}` };
  }
}
