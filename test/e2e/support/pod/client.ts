/** A client on a host: reads one {@link Dial} or {@link Question} per line, and prints each result on one line, in order. */
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { request as requestTls } from "node:https";
import { connect as connectTcp } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { connect as connectTls, type TLSSocket } from "node:tls";

/** The destination of a call, and its protocol. */
export interface Dial {
  readonly address: string;
  readonly port: number;
  readonly protocol: "http" | "tcp" | "tls";
  /** The host header, or the SNI. */
  readonly host: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A question to a DNS server, or a request over HTTPS to a server with any certificate. */
export interface Question {
  readonly address: string;
  readonly port: number;
  readonly protocol: "dns" | "https";
  readonly host: string;
  /** For DNS: the kind of addresses. Default: 4. */
  readonly family?: 4 | 6;
  /** For HTTPS: the application protocol of the handshake, and the files of the client's certificate. */
  readonly alpn?: string;
  readonly client?: { readonly certificateChain: string; readonly privateKey: string };
}

/** The result of a call: an HTTP answer, or only the text for other protocols. `failed` when the connection broke. */
export type CallReply =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
  | { readonly failed: string };

async function call(dial: Dial | Question): Promise<CallReply> {
  if (dial.protocol === "http") return await callHttp(dial);
  if (dial.protocol === "dns") return await callDns(dial);
  if (dial.protocol === "https") return await callHttps(dial);
  const { address: host, port } = dial;
  const socket =
    dial.protocol === "tcp"
      ? connectTcp({ host, port })
      : connectTls({ host, port, servername: dial.host, rejectUnauthorized: false });
  socket.setTimeout(5000, () => socket.destroy(new Error("no answer in 5 s")));
  await once(socket, dial.protocol === "tcp" ? "connect" : "secureConnect");
  if (dial.protocol === "tcp") socket.write("hello\n");
  const body = await text(socket);
  return body === "" ? { failed: "closed without an answer" } : { body };
}

async function callDns({ address, port, host, family = 4 }: Question): Promise<CallReply> {
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers([`${address}:${port}`]);
  const found = family === 4 ? await resolver.resolve4(host) : await resolver.resolve6(host);
  return { body: found.toSorted().join(" ") };
}

async function callHttps({ address, port, host, alpn, client }: Question): Promise<CallReply> {
  const trust = {
    servername: host,
    rejectUnauthorized: false,
    agent: false,
    ...(alpn !== undefined && { ALPNProtocols: [alpn] }),
    ...(client && { cert: readFileSync(client.certificateChain), key: readFileSync(client.privateKey) }),
  } as const;
  const sent = requestTls({ host: address, port, headers: { host }, ...trust, timeout: 5000 });
  sent.on("timeout", () => sent.destroy(new Error("no answer in 5 s"))).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const certificate = String((response.socket as TLSSocket).getPeerCertificate().subject.CN);
  const echo = String(response.headers["x-echo"]);
  const headers = { "x-echo": echo, "x-certificate": certificate };
  return { status: response.statusCode ?? 0, headers, body: await text(response) };
}

async function callHttp({ address, port, host, path = "/", headers = {} }: Dial): Promise<CallReply> {
  const sent = request({ host: address, port, path, headers: { ...headers, host }, agent: false, timeout: 5000 });
  sent.on("timeout", () => sent.destroy(new Error("no answer in 5 s"))).end();
  const [response] = await once(sent, "response");
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const dial = JSON.parse(line) as Dial | Question;
  const reply = await call(dial).catch((error: unknown): CallReply => ({ failed: String(error) }));
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
