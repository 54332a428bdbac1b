import { status } from "@grpc/grpc-js";
import type { GrpcCommand, GrpcReport } from "../../../../scripts/peers/protocol.ts";
import { type Bound, eventually } from "../../../../src/testing/eventually.ts";
import type { Child } from "../child.ts";
import { type GrpcKind, type GrpcPeerOptions, grpcPeer } from "./grpc-peer.ts";

/** How one call ended. */
export interface GrpcAnswer {
  readonly code: keyof typeof status;
  /** The name of the server that answered. Empty when none did. */
  readonly echo: string;
  readonly message: string;
}

export interface GrpcPeerClientOptions extends GrpcPeerOptions {
  /** `xds:///host[:port]`, or an address for calls outside the mesh. */
  readonly target: string;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
}

/** Starts a real gRPC client in a separate process. It gets its destinations from our server. */
export async function startGrpcClient(
  kind: GrpcKind,
  { target, ...peer }: GrpcPeerClientOptions,
): Promise<GrpcPeerClient> {
  return new GrpcPeerClient(await grpcPeer(kind, ["client", target], peer));
}

export class GrpcPeerClient implements AsyncDisposable {
  readonly #child: Child;
  #commands = 0;

  constructor(child: Child) {
    this.#child = child;
  }

  /** Makes calls one after the other, each with a deadline. */
  async call(calls: number, { headers = {}, deadlineMs = 10_000 }: CallOptions = {}): Promise<readonly GrpcAnswer[]> {
    const command: GrpcCommand = { id: ++this.#commands, calls, headers, deadlineMs };
    this.#child.say(JSON.stringify(command));
    const seconds = 30 + (calls * deadlineMs) / 1000;
    const [line] = await this.#child.line(new RegExp(`^\\{"id":${command.id},.*$`), { seconds });
    const { answers } = JSON.parse(line) as GrpcReport;
    return answers.map(({ code, echo, message }) => ({ code: status[code] as keyof typeof status, echo, message }));
  }

  /** Makes calls, and counts them by the server that answered, or by the error. */
  async many(calls: number, options?: CallOptions): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const { code, echo } of await this.call(calls, options)) {
      const who = code === "OK" ? echo : code;
      counts.set(who, (counts.get(who) ?? 0) + 1);
    }
    return counts;
  }

  /** Waits until the new configuration is in effect: the server with this name answers all calls. */
  async untilAnsweredBy(name: string, bound: Bound = { seconds: 20 }): Promise<void> {
    await eventually(`all calls reach ${name}`, async () => (await this.many(20)).get(name) === 20, bound);
  }

  log(): string {
    return this.#child.log();
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
