import { readFileSync } from "node:fs";
import { type ClientRequest, type RequestOptions, request } from "node:http";
import { request as secureRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { connect as secureConnect } from "node:tls";
import type { IssuedFiles } from "../support/tls/certificates.ts";
import { type Call, isList, type Outcome } from "./row.ts";

/** Where to send a request, and the certificates of the caller. */
export interface Target {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  readonly sni: string;
  readonly trusted: IssuedFiles;
  readonly certificate: IssuedFiles | undefined;
}

/** The answer to a call. */
export interface Answer {
  readonly outcome: Outcome;
  readonly body: string;
}

/** The ALPN protocols of a sidecar that forwards HTTP. */
export const meshAlpn = ["istio-http/1.1", "istio", "http/1.1"];

/** Sends one request over a connection of its own. Rejects only if nothing happens for ten seconds. */
export async function send(call: Call, target: Target): Promise<Answer> {
  try {
    return await (call.protocol === "tcp" ? sendText(call, target) : sendHttp(call, target));
  } catch (thrown) {
    if (thrown instanceof Silence) throw thrown;
    return { outcome: "closed", body: "" };
  }
}

class Silence extends Error {}

const patienceMs = 10_000;

function isSecure({ as, tls }: Call): boolean {
  return as !== undefined || tls !== undefined;
}

/** The names and certificates of TLS. A workload's certificate is for its identity, not for the name that is called. */
function tlsOptions({ as, tls }: Call, { sni, trusted, certificate }: Target) {
  return {
    servername: sni,
    ca: readFileSync(trusted.rootCertificates),
    ...(certificate && { cert: readFileSync(certificate.certificateChain), key: readFileSync(certificate.privateKey) }),
    checkServerIdentity: () => undefined,
    ALPNProtocols: [...(tls?.alpn ?? (as === undefined ? ["http/1.1"] : meshAlpn))],
  };
}

function sendHttp(call: Call, target: Target): Promise<Answer> {
  const { method = "GET", path = "/", headers = {}, from: localAddress } = call;
  const pairs: readonly (readonly [string, string])[] = isList(headers) ? headers : Object.entries(headers);
  const options: RequestOptions = {
    host: target.address,
    port: target.port,
    method,
    path,
    agent: false,
    timeout: patienceMs,
    setHost: false,
    headers: ["host", target.host, "connection", "close", ...pairs.flat()],
    ...(localAddress !== undefined && { localAddress }),
  };
  const sent = isSecure(call) ? secureRequest({ ...options, ...tlsOptions(call, target) }) : request(options);
  return answerTo(sent);
}

function answerTo(sent: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    sent.on("response", (response) => {
      text(response).then((body) => resolve({ outcome: response.statusCode ?? 0, body }), reject);
    });
    sent.on("timeout", () => sent.destroy(new Silence("no answer")));
    sent.on("error", reject);
    sent.end();
  });
}

async function sendText(call: Call, target: Target): Promise<Answer> {
  const { address: host, port } = target;
  const local = call.from === undefined ? {} : { localAddress: call.from };
  const socket: Socket = isSecure(call)
    ? secureConnect({ host, port, ...local, ...tlsOptions(call, target) })
    : connect({ host, port, ...local });
  socket.setTimeout(patienceMs, () => socket.destroy(new Silence("no answer")));
  socket.write("question");
  const body = await text(socket);
  return { outcome: body === "" ? "closed" : "answered", body };
}
