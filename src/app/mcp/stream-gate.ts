import type { Clock } from "../../lib/clock.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc-stream.ts";
import type { RequestBudget } from "../../mcp/source/request-budget.ts";
import type { McpAccess } from "./mcp-access.ts";
import { tapped } from "./tapped-stream.ts";

/** Who would wait longer than this for its stream comes back later. */
const patienceMs = 10_000;

export interface StreamGateOptions {
  readonly clock: Clock;
  readonly budget: RequestBudget;
  readonly serve: (stream: GrpcStream) => void;
}

/** Where streams of sinks begin: each identity may open so many. Who they are was found out before (SRV-2). */
export class StreamGate {
  readonly #options: StreamGateOptions;

  constructor(options: StreamGateOptions) {
    this.#options = options;
  }

  /** With `access` the stream is ended when its peer is no longer let in. */
  admit(stream: GrpcStream, access?: McpAccess): void {
    const { clock, budget, serve } = this.#options;
    budget.sweep();
    const waitMs = budget.takeOne(payerOf(stream));
    if (waitMs > patienceMs) {
      return stream.end(GrpcStatus.RESOURCE_EXHAUSTED, "too many streams at a time", { retryAfterMs: waitMs });
    }
    access?.watch(stream);
    const watched = tapped(stream, { onClose: () => access?.release(stream) });
    if (waitMs === 0) return serve(watched);
    clock.after(waitMs, () => serve(watched));
  }
}

/** Without a proof of identity, all connections of a machine are taken for one. */
function payerOf({ peer: { address, identities = [] } }: GrpcStream): string {
  return identities.join(" ") || address.replace(/:\d+$/, "");
}
