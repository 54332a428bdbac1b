import { getCompileCacheDir } from "node:module";
import { resolve } from "node:path";
import { status } from "@grpc/grpc-js";
import { describeNode } from "../../../src/cli/nodes/describe-node.ts";
import { grpcBootstrap } from "../../../src/cli/nodes/grpc-bootstrap.ts";
import type { GrpcCommand, GrpcReport } from "../../peers/protocol.ts";
import type { CallResult } from "../observed/calls.ts";
import type { ReviewsCaller } from "./caller.ts";
import { DemoProcess } from "./demo-process.ts";
import { type ProxyIdentity, sketchOf } from "./proxy-identity.ts";

const client = resolve(import.meta.dirname, "../../peers/grpc-js/main.ts");
/** Long enough for a busy machine, short enough to see that nobody answers. */
const deadlineMs = 3_000;

export interface GrpcCallerOptions {
  readonly identity: ProxyIdentity;
  readonly xdsPort: number;
  /** `xds:///host:port` */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** grpc-js with its own xDS client, in a process of its own: its bootstrap counts for a whole process. */
export class GrpcCaller implements ReviewsCaller {
  readonly #child: DemoProcess;
  readonly #headers: Readonly<Record<string, string>>;
  #commands = 0;

  constructor({ identity, xdsPort, target, headers }: GrpcCallerOptions) {
    const node = describeNode({ ...sketchOf(identity), metadata: { GENERATOR: "grpc" } });
    const xds = { host: "127.0.0.1", port: xdsPort };
    const bootstrap = grpcBootstrap({ node, xds, certificates: { type: "none" } });
    const env = {
      ...process.env,
      GRPC_XDS_BOOTSTRAP_CONFIG: JSON.stringify(bootstrap),
      // Loopback is never reached through a proxy, whatever the machine is set up for.
      no_grpc_proxy: "127.0.0.1",
      NODE_COMPILE_CACHE: getCompileCacheDir(),
    };
    this.#headers = headers;
    this.#child = new DemoProcess(process.execPath, [client, "client", target], { name: identity.name, env });
  }

  async call(calls: number): Promise<readonly CallResult[]> {
    const command: GrpcCommand = { id: ++this.#commands, calls, headers: this.#headers, deadlineMs };
    this.#child.say(JSON.stringify(command));
    const { answers } = JSON.parse(await this.#child.nextLine()) as GrpcReport;
    return answers.map(({ code, echo }) =>
      code === 0 ? { type: "answered", by: echo } : { type: "failed", reason: status[code] ?? String(code) },
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]();
  }
}
