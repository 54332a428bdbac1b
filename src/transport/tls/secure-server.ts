import { X509Certificate } from "node:crypto";
import { createSecureServer, type Http2SecureServer, type SecureServerOptions } from "node:http2";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { Logger } from "../../lib/logger.ts";
import { type TlsFiles, tlsFiles } from "./key-pair.ts";
import { orBadOption, type StartedFiles } from "./or-bad-option.ts";
import type { ReloadSettings } from "./reloaded-files.ts";

/** Long enough for a slow network. Short enough to bound the number of unfinished handshakes. */
const handshakeTimeoutMs = 10_000;

export interface TlsOptions extends Pick<ReloadSettings, "clock" | "openWatch"> {
  /** Without a certificate and a key, the issuer supplies them. */
  readonly files: TlsFiles;
  readonly issuer?: TlsIssuer;
  readonly minVersion?: "TLSv1.2" | "TLSv1.3";
  /** Gets each new certificate of the server, PEM. */
  readonly onCertificate?: (pem: string) => void;
}

/** A certificate authority of this process. Its authorities count beside those of the files. */
export interface TlsIssuer {
  /** Calls back with the first material before it resolves, and later with each replacement. */
  start(use: (issued: IssuedTls) => void): Promise<void>;
  stop(): void | Promise<void>;
}

export interface IssuedTls {
  /** Absent if the server has its certificate from files. */
  readonly pair?: { readonly cert: string; readonly key: string };
  /** Root certificates that verify client certificates, PEM. */
  readonly authorities: readonly string[];
}

/**
 * An HTTP/2 server over TLS whose certificate is replaced while it runs. Open connections stay. Later handshakes use
 * the new certificate and the new authorities. A client certificate is optional. If presented, it is verified, and
 * {@link clientCertificateOf} returns the result.
 */
export function secureServer(settings: SecureServerOptions, options: TlsOptions, logger: Logger) {
  const { files, issuer, minVersion = "TLSv1.2", onCertificate = () => undefined, ...reload } = options;
  const server = createSecureServer({
    ...settings,
    handshakeTimeout: handshakeTimeoutMs,
    requestCert: issuer !== undefined || (files.authorities ?? []).length > 0,
    // A client without a certificate may have a token. A client with a bad certificate gets its error on the stream.
    rejectUnauthorized: false,
  });
  server.on("tlsClientError", (error) => logger.debug({ err: error }, "tls handshake failed"));
  const merged = new MergedContext(server, { files, logger, minVersion, onCertificate });
  const fromFiles = tlsFiles({
    ...reload,
    files,
    use: (context) => merged.useFiles(context),
    onError: (error) => logger.error({ err: error, ...files }, "certificate not replaced"),
  });
  const certificates: StartedFiles = {
    async start() {
      await fromFiles.start();
      await issuer?.start((issued) => merged.useIssued(issued));
    },
    async stop() {
      await issuer?.stop();
      await fromFiles.stop();
    },
  };
  return { server, certificates: orBadOption(certificates) };
}

interface MergedSettings {
  readonly files: TlsFiles;
  readonly logger: Logger;
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
  readonly onCertificate: (pem: string) => void;
}

/** The newest material of the files and of the issuer, in one context. */
class MergedContext {
  readonly #server: Http2SecureServer;
  readonly #settings: MergedSettings;
  #files: SecureContextOptions = {};
  #issued: IssuedTls = { authorities: [] };
  #shown: string | undefined;

  constructor(server: Http2SecureServer, settings: MergedSettings) {
    this.#server = server;
    this.#settings = settings;
  }

  useFiles(context: SecureContextOptions): void {
    this.#files = context;
    this.#apply();
  }

  useIssued(issued: IssuedTls): void {
    this.#issued = issued;
    this.#apply();
  }

  #apply(): void {
    const { pair, authorities } = this.#issued;
    const { ca = [], ...shown } = { ...pair, ...this.#files };
    // The issuer has not answered yet.
    if (shown.cert === undefined) return;
    const { logger, minVersion, files } = this.#settings;
    const believed = [...(Array.isArray(ca) ? ca : [ca]), ...authorities];
    const context = { ...shown, minVersion, ...(believed.length > 0 && { ca: believed }) };
    createSecureContext(context);
    this.#server.setSecureContext(context);
    const certificate = String(shown.cert);
    if (this.#server.listening) logger.info({ ...files }, "certificate replaced");
    if (certificate !== this.#shown) {
      this.#warnOfValidity(certificate);
      this.#settings.onCertificate(certificate);
    }
    this.#shown = certificate;
  }

  /** The certificate is used anyway: the old one may be worse, and the clock of this machine may be wrong. */
  #warnOfValidity(certificate: string): void {
    const { validFrom, validFromDate, validTo, validToDate } = new X509Certificate(certificate);
    const now = new Date();
    if (now >= validFromDate && now <= validToDate) return;
    this.#settings.logger.warn({ ...this.#settings.files, validFrom, validTo }, "certificate not valid now");
  }
}
