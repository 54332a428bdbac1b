/** A client on a host: reads one {@link Dial} per line, and prints each result on one line, in order. */
import { once } from "node:events";
import { request } from "node:http";
import { connect as connectTcp } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";

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

/** The result of a call: an HTTP answer, or only the text for other protocols. `failed` when the connection broke. */
export type CallReply =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
  | { readonly failed: string };

async function call(dial: Dial): Promise<CallReply> {
  if (dial.protocol === "http") return await callHttp(dial);
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

async function callHttp({ address, port, host, path = "/", headers = {} }: Dial): Promise<CallReply> {
  const sent = request({ host: address, port, path, headers: { ...headers, host }, agent: false, timeout: 5000 });
  sent.on("timeout", () => sent.destroy(new Error("no answer in 5 s"))).end();
  const [response] = await once(sent, "response");
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const dial = JSON.parse(line) as Dial;
  const reply = await call(dial).catch((error: unknown): CallReply => ({ failed: String(error) }));
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
