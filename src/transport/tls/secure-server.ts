import { X509Certificate } from "node:crypto";
import { createSecureServer, type Http2SecureServer, type SecureServerOptions } from "node:http2";
import type { SecureContextOptions } from "node:tls";
import type { Logger } from "../../lib/logger.ts";
import { type KeyPairFiles, keyPair } from "./key-pair.ts";
import { orBadOption } from "./or-bad-option.ts";
import type { ReloadSettings } from "./reloaded-files.ts";

/** Long enough for a slow network. Short enough to bound the number of unfinished handshakes. */
const handshakeTimeoutMs = 10_000;

export interface TlsOptions extends Pick<ReloadSettings, "clock" | "openWatch"> {
  readonly files: KeyPairFiles;
  readonly minVersion?: "TLSv1.2" | "TLSv1.3";
}

/**
 * An HTTP/2 server over TLS whose certificate is reloaded from its files. Open connections stay. Later handshakes use
 * the new certificate and the new authorities. A client certificate is optional. If presented, it is verified, and
 * {@link clientCertificateOf} returns the result.
 */
export function secureServer(settings: SecureServerOptions, options: TlsOptions, logger: Logger) {
  const { files, minVersion = "TLSv1.2", ...reload } = options;
  const server = createSecureServer({
    ...settings,
    handshakeTimeout: handshakeTimeoutMs,
    requestCert: (files.authorities ?? []).length > 0,
    // A client without a certificate may have a token. A client with a bad certificate gets its error on the stream.
    rejectUnauthorized: false,
  });
  server.on("tlsClientError", (error) => logger.debug({ err: error }, "tls handshake failed"));
  const certificates = keyPair({
    ...reload,
    files,
    use: (context) => use(server, { ...context, minVersion }, { files, logger }),
    onError: (error) => logger.error({ err: error, ...files }, "certificate not replaced"),
  });
  return { server, certificates: orBadOption(certificates) };
}

function use(
  server: Http2SecureServer,
  context: SecureContextOptions,
  { files, logger }: { readonly files: KeyPairFiles; readonly logger: Logger },
): void {
  server.setSecureContext(context);
  if (server.listening) logger.info({ ...files }, "certificate replaced");
  const { validFrom, validFromDate, validTo, validToDate } = new X509Certificate(String(context.cert));
  const now = new Date();
  // The certificate is used anyway: the old one may be worse, and the clock of this machine may be wrong.
  if (now < validFromDate || now > validToDate)
    logger.warn({ ...files, validFrom, validTo }, "certificate not valid now");
}
