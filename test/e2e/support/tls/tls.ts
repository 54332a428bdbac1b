import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { connect, createServer, type TLSSocket } from "node:tls";
import type { IssuedFiles } from "./certificates.ts";
import { listenLocally } from "../../../../src/testing/server/listen-locally.ts";

export interface TlsCall {
  /** The SNI, which the server's certificate must contain. */
  readonly servername: string;
  /** The trusted root certificates, and the certificate to present on request. */
  readonly trust: IssuedFiles;
  readonly client?: IssuedFiles;
  /** The offered ALPN protocols. Default: HTTP/1.1. */
  readonly alpn?: readonly string[];
  /** Accepts a certificate for any name: no certificate contains the name of a cluster. */
  readonly anyName?: boolean;
}

export interface TlsAnswer {
  /** The subject of the server's certificate. */
  readonly subject: string;
  readonly body: string;
}

/** Sends text over TLS to a port on loopback, and reads until the other side ends. Rejects when the handshake fails. */
export async function tlsAsk(port: number, sent: string, call: TlsCall): Promise<TlsAnswer> {
  const { servername, trust, client, alpn = ["http/1.1"], anyName = false } = call;
  const socket = connect({
    host: "127.0.0.1",
    port,
    servername,
    ca: readFileSync(trust.rootCertificates),
    ...(client && { cert: readFileSync(client.certificateChain), key: readFileSync(client.privateKey) }),
    ...(anyName && { checkServerIdentity: () => undefined }),
    ALPNProtocols: [...alpn],
    timeout: 10_000,
  });
  socket.on("timeout", () => socket.destroy(new Error(`no answer from ${port} in 10 s`)));
  try {
    await once(socket, "secureConnect");
    const subject = socket.getPeerCertificate().subject.CN;
    socket.write(sent);
    return { subject: String(subject), body: await text(socket) };
  } finally {
    socket.destroy();
  }
}

/** A plain request for a path, in the HTTP version that closes the connection after the answer. */
export function httpText(host: string, path = "/"): string {
  return `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
}

export interface TlsPeer extends AsyncDisposable {
  readonly port: number;
}

/** Starts a server that terminates TLS itself and sends its name to every client. */
export async function startTlsPeer(name: string, files: IssuedFiles): Promise<TlsPeer> {
  const identity = { cert: readFileSync(files.certificateChain), key: readFileSync(files.privateKey) };
  const sockets = new Set<TLSSocket>();
  const server = createServer(identity, (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.end(name);
  });
  const port = await listenLocally(server);
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await server[Symbol.asyncDispose]();
  };
  return { port, [Symbol.asyncDispose]: stop };
}
