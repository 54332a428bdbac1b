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
import { type IssuedFiles, TestAuthority } from "./certificates.ts";

/** An authority for one test. */
export async function authority(): Promise<TestAuthority> {
  const created = await TestAuthority.create();
  onTestFinished(() => created[Symbol.dispose]());
  return created;
}

/** The TLS options of a server with watched files. */
export function tlsOf({ certificateChain: certificate, privateKey: key, rootCertificates }: IssuedFiles) {
  return {
    files: { certificate, key, authorities: [rootCertificates] },
    clock: systemClock,
    openWatch: (onChange: () => void) => new FileWatch({ clock: systemClock, onChange }),
  };
}

/** Sends back the identity of its client, and then echoes. */
function whoAmI(stream: GrpcStream): void {
  stream.attach({
    onMessage: (bytes) => stream.send(bytes.slice(), []),
    onFlushed: () => undefined,
    onClose: () => undefined,
  });
  stream.send(Buffer.from((stream.peer.identities ?? ["anybody"]).join(" ")), []);
}

/** A server over TLS, for one test, that sends its clients their identity. */
export async function startWhoAmI(files: IssuedFiles, options: Partial<GrpcServerOptions> = {}) {
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

/** Options of servers that trust certificates of two trust domains. */
export const byCertificate = {
  authenticate: authenticateBy([certificateAuthenticator(() => ["cluster.local", "old.example"])]),
};

/** Calls with a stock client, with or without a certificate. */
export function callWith(address: string, trust: IssuedFiles, client?: IssuedFiles) {
  const [key, chain] = client ? [readFileSync(client.privateKey), readFileSync(client.certificateChain)] : [null, null];
  const secure = credentials.createSsl(readFileSync(trust.rootCertificates), key, chain);
  const grpc = new Client(address, secure, { "grpc.enable_http_proxy": 0 });
  onTestFinished(() => grpc.close());
  return record(grpc.makeBidiStreamRequest(ECHO, bytesAsIs, bytesAsIs, new Metadata()));
}

/** The identity that the server assigns to a client, or the status of the rejection. */
export async function whoIs(address: string, trust: IssuedFiles, client?: IssuedFiles) {
  const { stream, received, status } = callWith(address, trust, client);
  const answer = await Promise.race([once(stream, "data").then(() => String(received[0])), status]);
  stream.cancel();
  return typeof answer === "string" ? answer : { code: answer.code, details: answer.details };
}

/** Makes a handshake, without HTTP. */
export function dial(address: string, { rootCertificates }: IssuedFiles, options: ConnectionOptions = {}): TLSSocket {
  const [host, port] = address.split(":");
  const trust = { ca: readFileSync(rootCertificates), ALPNProtocols: ["h2"] };
  const socket = connect({ host, port: Number(port), ...trust, ...options });
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** The serial number of the certificate in a new handshake. */
export async function serialShown(address: string, trust: IssuedFiles): Promise<string> {
  const socket = dial(address, trust);
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
