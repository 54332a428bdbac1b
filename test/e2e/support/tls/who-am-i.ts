import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../../src/app/process/system-clock.ts";
import { FileWatch } from "../../../../src/galley/source/file/file-watch.ts";
import type { GrpcStream } from "../../../../src/lib/grpc/grpc-stream.ts";
import { RecordingLogger } from "../../../../src/testing/recording/recording-logger.ts";
import { bytesAsIs, ECHO, record } from "../../../../src/testing/stream/grpc-js-rig.ts";
import { authenticateBy } from "../../../../src/transport/credentials/authenticator.ts";
import { certificateAuthenticator } from "../../../../src/transport/credentials/client-certificate.ts";
import { createGrpcServer, type GrpcServerOptions } from "../../../../src/transport/server/grpc-server.ts";
import { type CertificateFiles, TestAuthority } from "./certificates.ts";

/** An authority for one test. */
export async function authority(): Promise<TestAuthority> {
  const created = await TestAuthority.create();
  onTestFinished(() => created[Symbol.dispose]());
  return created;
}

/** What a server is told of files that are watched. */
export function tlsOf({ certificateChain: certificate, privateKey: key, rootCertificates }: CertificateFiles) {
  return {
    files: { certificate, key, authorities: [rootCertificates] },
    clock: systemClock,
    openWatch: (onChange: () => void) => new FileWatch({ clock: systemClock, onChange }),
  };
}

/** Sends back who it takes its client for, and then what it is sent. */
function whoAmI(stream: GrpcStream): void {
  stream.attach({
    onMessage: (bytes) => stream.send(bytes.slice(), []),
    onFlushed: () => undefined,
    onClose: () => undefined,
  });
  stream.send(Buffer.from((stream.peer.identities ?? ["anybody"]).join(" ")), []);
}

/** A server over TLS, for one test, that tells its clients who they are. */
export async function startWhoAmI(files: CertificateFiles, options: Partial<GrpcServerOptions> = {}) {
  const logger = new RecordingLogger();
  const server = createGrpcServer({
    address: "127.0.0.1:0",
    methods: new Map([[ECHO, whoAmI]]),
    logger,
    tls: tlsOf(files),
    ...options,
  });
  const address = await server.start();
  onTestFinished(() => server.stop({ graceMs: 0 }));
  return { server, address, logger };
}

/** For servers that believe certificates of two trust domains. */
export const byCertificate = {
  authenticate: authenticateBy([certificateAuthenticator(() => ["cluster.local", "old.example"])]),
};

/** A stock client calls, with a certificate or without one. */
export function callWith(address: string, trust: CertificateFiles, client?: CertificateFiles) {
  const [key, chain] = client ? [readFileSync(client.privateKey), readFileSync(client.certificateChain)] : [null, null];
  const secure = credentials.createSsl(readFileSync(trust.rootCertificates), key, chain);
  const grpc = new Client(address, secure, { "grpc.enable_http_proxy": 0 });
  onTestFinished(() => grpc.close());
  return record(grpc.makeBidiStreamRequest(ECHO, bytesAsIs, bytesAsIs, new Metadata()));
}

/** Who the server takes a client for; its status when it is turned away. */
export async function whoIs(address: string, trust: CertificateFiles, client?: CertificateFiles) {
  const { stream, received, status } = callWith(address, trust, client);
  const answer = await Promise.race([once(stream, "data").then(() => String(received[0])), status]);
  stream.cancel();
  return typeof answer === "string" ? answer : { code: answer.code, details: answer.details };
}

/** A handshake, and no HTTP yet. */
export function dial(
  address: string,
  { rootCertificates }: CertificateFiles,
  options: ConnectionOptions = {},
): TLSSocket {
  const [host, port] = address.split(":");
  const trust = { ca: readFileSync(rootCertificates), ALPNProtocols: ["h2"] };
  const socket = connect({ host, port: Number(port), ...trust, ...options });
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** The serial number of the certificate that a new handshake shows. */
export async function serialShown(address: string, trust: CertificateFiles): Promise<string> {
  const socket = dial(address, trust);
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
