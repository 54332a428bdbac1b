import type { SecureClientSessionOptions } from "node:http2";
import type { PeerCertificate, SecureContextOptions } from "node:tls";
import type { Logger } from "../../lib/logger.ts";
import { urisIn } from "../credentials/subject-alt-name.ts";
import { certificatesIn, type KeyPairFiles, keyPair } from "../tls/key-pair.ts";
import { orBadOption, type StartedFiles } from "../tls/or-bad-option.ts";
import { ReloadedFiles, type ReloadSettings } from "../tls/reloaded-files.ts";

/** How a client verifies its server, and which certificate it presents. */
export interface ClientTlsOptions extends Pick<ReloadSettings, "clock" | "openWatch"> {
  /** The client's own certificate and key. Without them the client presents no certificate. */
  readonly shown?: Omit<KeyPairFiles, "authorities">;
  /** Files of the authorities that sign server certificates. Without them the system's authorities apply. */
  readonly authorities: readonly string[];
  /** The name that the server's certificate must have instead of the host: a DNS name or a SPIFFE id. */
  readonly serverName?: string;
}

export interface ReloadedClientTls {
  /** Absent when there are no files to read. */
  readonly files: StartedFiles | undefined;
  /** The TLS context of the next connection. */
  readonly context: () => SecureClientSessionOptions;
}

/**
 * TLS with certificates that are reloaded from their files. Open connections stay; later connections use the new
 * certificates.
 */
export function reloadedClientTls(options: ClientTlsOptions, logger: Logger): ReloadedClientTls {
  let current: SecureContextOptions | undefined;
  const files = filesOf(options, logger, (context) => {
    if (current !== undefined)
      logger.info({ ...options.shown, authorities: options.authorities }, "certificate replaced");
    current = context;
  });
  return { files: files && orBadOption(files), context: () => ({ ...current, ...identityOf(options.serverName) }) };
}

function filesOf(
  { shown, authorities, clock, openWatch }: ClientTlsOptions,
  logger: Logger,
  use: (context: SecureContextOptions) => void,
): ReloadedFiles | undefined {
  const onError = (error: unknown) => logger.error({ err: error, ...shown, authorities }, "certificate not replaced");
  if (shown !== undefined) return keyPair({ files: { ...shown, authorities }, use, clock, openWatch, onError });
  if (authorities.length === 0) return undefined;
  return new ReloadedFiles({
    clock,
    openWatch,
    onError,
    files: authorities,
    use: (texts) => {
      const ca = texts.flatMap((text, index) => certificatesIn(authorities[index] ?? "", text));
      use({ ca: ca.map(String), minVersion: "TLSv1.2" });
    },
  });
}

/** Certificates of mesh workloads have no host names. Their URI is the identity. */
function identityOf(serverName: string | undefined): SecureClientSessionOptions {
  if (serverName === undefined) return {};
  if (!serverName.startsWith("spiffe://")) return { servername: serverName };
  return {
    checkServerIdentity(_host: string, certificate: PeerCertificate): Error | undefined {
      if (urisIn(certificate.subjectaltname ?? "").includes(serverName)) return undefined;
      return new Error(`its certificate is not that of ${serverName}`);
    },
  };
}
