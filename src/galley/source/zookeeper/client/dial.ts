import { readFile } from "node:fs/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Files for TLS. They are read for every connection, so renewed certificates need no restart. */
export interface TlsFiles {
  /** Authorities that sign the certificates of servers. Undefined for the authorities of Node. */
  readonly ca: string | undefined;
  /** The certificate and key of this client. Undefined if servers ask for none. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** The name in the certificates of servers. Undefined for the host of the URL. */
  readonly serverName: string | undefined;
}

export interface DialOptions {
  /** `HOST:PORT`. */
  readonly address: string;
  /** Undefined for a connection without TLS. */
  readonly tls?: TlsFiles | undefined;
  /** Called with the socket before anything can happen to it. */
  readonly onSocket: (socket: Socket) => void;
  /** Called when it is connected and, with TLS, the server is verified. */
  readonly onReady: () => void;
}

/** Connects to a server. Rejects if a file cannot be read, or is no certificate. */
export async function dial({ address, tls, onSocket, onReady }: DialOptions): Promise<void> {
  const { host = "", port } = /^(?<host>.*):(?<port>\d+)$/u.exec(address)?.groups ?? {};
  const place = { host, port: Number(port) };
  if (tls === undefined) return onSocket(connectTcp({ ...place, noDelay: true }, onReady));
  const [ca, cert, key] = await Promise.all([tls.ca, tls.cert, tls.key].map(contentOf));
  const { serverName = host } = tls;
  const options = {
    ...place,
    ...(isIP(serverName) === 0 && { servername: serverName }),
    ...(ca && { ca }),
    ...(cert && key && { cert, key }),
    minVersion: "TLSv1.2",
  } as const;
  onSocket(connectTls(options, onReady).setNoDelay());
}

function contentOf(file: string | undefined): Promise<Buffer | undefined> {
  return file === undefined ? Promise.resolve(undefined) : readFile(file);
}
