import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { connect, createServer, type TLSSocket } from "node:tls";
import type { CertificateFiles } from "./certificates.ts";

export interface TlsCall {
  /** The name to ask for, which the server's certificate must have. */
  readonly servername: string;
  /** Whose roots to trust, and whose certificate to show if asked. */
  readonly trust: CertificateFiles;
  readonly client?: CertificateFiles;
  /** What to offer to speak inside; HTTP/1.1 unless told otherwise. */
  readonly alpn?: readonly string[];
  /** Takes a certificate for any name: that of a cluster is in nobody's. */
  readonly anyName?: boolean;
}

export interface TlsAnswer {
  /** Of the certificate that the server showed. */
  readonly subject: string;
  readonly body: string;
}

/** Sends text over TLS to a port on loopback, and reads until the other side ends. Rejects when it does not let us. */
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

/** A plain request for a path, in the version of HTTP that ends with the answer. */
export function httpText(host: string, path = "/"): string {
  return `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
}

export interface TlsPeer extends AsyncDisposable {
  readonly port: number;
}

/** A server that terminates TLS itself and says its name to whoever connects. */
export async function startTlsPeer(name: string, files: CertificateFiles): Promise<TlsPeer> {
  const identity = { cert: readFileSync(files.certificateChain), key: readFileSync(files.privateKey) };
  const sockets = new Set<TLSSocket>();
  const server = createServer(identity, (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.end(name);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await server[Symbol.asyncDispose]();
  };
  return { port, [Symbol.asyncDispose]: stop };
}
