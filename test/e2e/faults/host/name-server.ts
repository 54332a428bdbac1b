import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { smallDiskUnavailable } from "./small-disk.ts";

/** DNS has a fixed port. */
const port = 53;
const servfail = 2;
const typeA = 1;
const loopback = Buffer.from([127, 0, 0, 1]);

/** The reason why this machine has no name servers for tests. */
export function nameServerUnavailable(): string | undefined {
  return smallDiskUnavailable();
}

/** A name server for processes of the test: every name is this machine, or an error, or there is no answer. */
export class NameServer implements AsyncDisposable {
  behaviour: "answers" | "fails" | "hangs" = "answers";
  /** Questions so far. */
  asked = 0;
  readonly #socket = createSocket("udp4");
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-names-"));

  static async start(): Promise<NameServer> {
    const server = new NameServer();
    // An address of its own: other name servers may listen on the others.
    const address = `127.53.${process.pid % 250}.${1 + (Math.floor(process.pid / 250) % 250)}`;
    writeFileSync(server.#resolvConf, `nameserver ${address}\n`);
    server.#socket.on("message", (question, { address: host, port: from }) => {
      server.asked++;
      if (server.behaviour !== "hangs") server.#socket.send(server.#answer(question), from, host);
    });
    server.#socket.bind(port, address);
    await once(server.#socket, "listening");
    return server;
  }

  /** A command that asks this server for names, and becomes the command after it. */
  get within(): readonly string[] {
    const enter = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", enter, this.#resolvConf];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #resolvConf(): string {
    return join(this.#folder, "resolv.conf");
  }

  /** RFC 1035: the header and the question come back, and one record for an IPv4 address. */
  #answer(question: Buffer): Buffer {
    const end = question.indexOf(0, 12) + 5;
    const isAddress = question.readUInt16BE(end - 4) === typeA && this.behaviour === "answers";
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (this.behaviour === "fails" ? servfail : 0), 2);
    head.writeUInt16BE(isAddress ? 1 : 0, 6);
    head.writeUInt32BE(0, 8);
    // The name is that at offset 12; type A, class IN, no caching, four bytes.
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...loopback]);
    return Buffer.concat([head, question.subarray(12, end), ...(isAddress ? [record] : [])]);
  }
}

/** The flags of a kubeconfig whose server has this name. */
export function kubeconfigFor(folder: string, server: string): readonly string[] {
  const file = join(folder, "kubeconfig");
  const config = {
    clusters: [{ name: "c", cluster: { server } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
    users: [{ name: "u", user: {} }],
  };
  writeFileSync(file, JSON.stringify(config));
  return ["--kubeconfig", file];
}
