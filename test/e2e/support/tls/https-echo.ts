import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import type { IssuedFiles } from "./certificates.ts";
import type { TlsPeer } from "./tls.ts";

/** Starts an HTTPS server that answers with the name in the client's certificate, or with `nobody`. */
export async function startHttpsEcho(files: IssuedFiles, { needsClient }: { readonly needsClient: boolean }) {
  const server = createServer(
    {
      cert: readFileSync(files.certificateChain),
      key: readFileSync(files.privateKey),
      ca: readFileSync(files.rootCertificates),
      requestCert: needsClient,
      rejectUnauthorized: needsClient,
    },
    ({ socket }, response) => {
      const { subject } = (socket as TLSSocket).getPeerCertificate();
      // Without a certificate there is no subject.
      response.end((subject as { readonly CN?: string } | undefined)?.CN ?? "nobody");
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  };
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: stop } satisfies TlsPeer;
}
