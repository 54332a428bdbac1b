import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { TLSSocket } from "node:tls";
import type { Credentials } from "./authenticator.ts";
import { clientCertificateOf, noCertificate } from "./client-certificate.ts";

/** The credentials of the client of an HTTP/2 stream. */
export function credentialsOf({ session }: ServerHttp2Stream, headers: IncomingHttpHeaders): Credentials {
  const socket = session?.socket;
  return { headers, certificate: socket instanceof TLSSocket ? clientCertificateOf(socket) : noCertificate };
}
