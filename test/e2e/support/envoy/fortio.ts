import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerPath } from "../../../../scripts/peer.ts";
import { Child } from "../child.ts";

export interface LoadOptions {
  /** Default: loopback. */
  readonly address?: string;
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly qps: number;
  /** For HTTPS: the file of CA certificates. Connections then end after a few requests, so that handshakes go on. */
  readonly authorities?: string;
  /** Starts the process. Default: on this machine. */
  readonly launch?: (command: string, args: readonly string[]) => Child;
}

/** The result of one request. */
export interface LoggedRequest {
  /** When it was sent, on the clock of `Date.now()`. */
  readonly at: number;
  readonly ok: boolean;
  /** The status, or the error. */
  readonly details: string;
}

/** A real load generator that logs every request. Start it after the first successful request. */
export class Load implements AsyncDisposable {
  readonly #child: Child;
  readonly #folder: string;

  private constructor(child: Child, folder: string) {
    this.#child = child;
    this.#folder = folder;
  }

  static async start(options: LoadOptions): Promise<Load> {
    const { address = "127.0.0.1", port, host, path, qps, authorities } = options;
    const { launch = (command, args) => new Child(command, args) } = options;
    const folder = mkdtempSync(join(tmpdir(), "binnacle-fortio-"));
    const steady = ["-qps", String(qps), "-c", "8", "-t", "0", "-timeout", "10s", "-loglevel", "error"];
    const logged = ["-access-log-format", "json", "-access-log-file", join(folder, "log")];
    const plain = ["-H", `Host: ${host}`, `http://${address}:${port}${path}`];
    const secured = ["-resolve", address, "-connection-reuse", "5:10", "-cacert", authorities ?? ""];
    const target = authorities === undefined ? plain : [...secured, `https://${host}:${port}${path}`];
    return new Load(launch(await peerPath("fortio"), ["load", ...steady, ...logged, ...target]), folder);
  }

  /** Ends the load and returns all its requests. */
  async stop(): Promise<readonly LoggedRequest[]> {
    this.#child.kill("SIGINT");
    const code = await this.#child.exited;
    if (code !== 0) throw new Error(`fortio ended with ${code}:\n${this.#child.log()}`);
    const lines = readFileSync(join(this.#folder, "log"), "utf8").trimEnd().split("\n");
    return lines.map(readLine);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function readLine(line: string): LoggedRequest {
  const { timestamp, ok, details } = JSON.parse(line) as LoggedRequest & { readonly timestamp: number };
  return { at: timestamp / 1e6, ok, details };
}
