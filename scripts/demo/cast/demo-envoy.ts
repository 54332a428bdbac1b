import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeNode } from "../../../src/cli/nodes/describe-node.ts";
import { envoyBootstrap } from "../../../src/cli/nodes/envoy-bootstrap.ts";
import type { MeshError } from "../../../src/index.ts";
import { peerPath } from "../../peer.ts";
import { DemoProcess } from "./demo-process.ts";
import { type ProxyIdentity, sketchOf } from "./proxy-identity.ts";

export interface DemoEnvoyOptions {
  readonly identity: ProxyIdentity;
  readonly xdsPort: number;
}

const fixedArguments = ["--use-dynamic-base-id", "--disable-hot-restart", "--concurrency", "1", "-l", "error"];

/** A real Envoy, started with what `binnacle bootstrap envoy` prints. Throws `PeerUnavailable`. */
export async function startDemoEnvoy({ identity, xdsPort }: DemoEnvoyOptions): Promise<Envoy> {
  const executable = await peerPath("envoy");
  const folder = mkdtempSync(join(tmpdir(), "binnacle-demo-"));
  const file = join(folder, "bootstrap.json");
  const xds = { host: "127.0.0.1", port: xdsPort };
  const admin = { host: "127.0.0.1", port: 0 };
  const bootstrap = envoyBootstrap({ node: describeNode(sketchOf(identity)), xds, admin, mode: "delta" });
  writeFileSync(file, JSON.stringify(bootstrap));
  return new Envoy(new DemoProcess(executable, ["-c", file, ...fixedArguments], { name: identity.name }), folder);
}

export class Envoy implements AsyncDisposable {
  readonly #child: DemoProcess;
  readonly #folder: string;

  constructor(child: DemoProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
  }

  /** Set once the process has ended by itself. */
  get complaint(): MeshError | undefined {
    return this.#child.complaint;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
