import type { TLSSocket } from "node:tls";
import { trustDomainOf } from "../../lib/spiffe-id.ts";
import type { Authenticator, AuthenticatorResult, ClientCertificate } from "./authenticator.ts";
import { alternativeNamesIn } from "./subject-alt-name.ts";

export const noCertificate: ClientCertificate = { type: "none" };

/** The state at the handshake. A certificate that expires later was valid when the connection was made. */
export function clientCertificateOf(socket: TLSSocket): ClientCertificate {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return noCertificate;
  if (!socket.authorized) return { type: "invalid", reason: String(socket.authorizationError) };
  const names = alternativeNamesIn(certificate.subjectAltName ?? "");
  const ofType = (...types: readonly string[]) =>
    names.flatMap(({ type, value }) => (types.includes(type) ? value : []));
  return { type: "verified", uris: ofType("URI"), hosts: ofType("DNS", "IP Address"), certificate };
}

/**
 * Identifies clients by the URIs of their certificates. All URIs must be SPIFFE ids of a trust domain of the mesh. The
 * trust domains are read at each call, because they are configuration.
 */
export function certificateAuthenticator(trustDomains: () => readonly string[]): Authenticator {
  return {
    name: "client certificate",
    authenticate: ({ certificate }) => findingOf(certificate, trustDomains()),
  };
}

function findingOf(certificate: ClientCertificate, trustDomains: readonly string[]): AuthenticatorResult {
  if (certificate.type === "none") return { type: "unknown", reason: "none was shown" };
  if (certificate.type === "invalid") return { type: "refused", reason: certificate.reason };
  const { uris } = certificate;
  if (uris.length === 0) return { type: "refused", reason: "it names no URI" };
  const foreign = uris.find((uri) => !trustDomains.includes(trustDomainOf(uri) ?? ""));
  if (foreign !== undefined)
    return { type: "refused", reason: `${foreign} is not of trust domain ${trustDomains.join(" or ")}` };
  return { type: "identified", identities: uris };
}
