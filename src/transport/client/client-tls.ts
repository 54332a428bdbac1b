import type { SecureClientSessionOptions } from "node:http2";
import type { PeerCertificate, SecureContextOptions } from "node:tls";
import type { Logger } from "../../lib/logger.ts";
import { urisIn } from "../credentials/subject-alt-name.ts";
import { certificatesIn, type KeyPairFiles, keyPair } from "../tls/key-pair.ts";
import { orBadOption, type StartedFiles } from "../tls/or-bad-option.ts";
import { ReloadedFiles, type ReloadSettings } from "../tls/reloaded-files.ts";

/** How a client knows its server, and what it shows for itself. */
export interface ClientTlsOptions extends Pick<ReloadSettings, "clock" | "openWatch"> {
  /** Our own certificate and its key; none is shown without them. */
  readonly shown?: Omit<KeyPairFiles, "authorities">;
  /** Whose servers are believed; those that the system believes without it. */
  readonly authorities: readonly string[];
  /** What the server's certificate must be for, in place of the host: a name, or a SPIFFE id. */
  readonly serverName?: string;
}

export interface ClientTls {
  /** Absent where there is nothing to read. */
  readonly files: StartedFiles | undefined;
  /** For the next connection. */
  readonly context: () => SecureClientSessionOptions;
}

/** TLS whose certificates follow their files: connections live on through a change, later ones see what is new. */
export function clientTls(options: ClientTlsOptions, logger: Logger): ClientTls {
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

/** Workloads of a mesh have certificates without host names: their URI says who they are. */
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
