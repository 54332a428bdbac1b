import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { RequestBudget } from "../../mcp/source/request-budget.ts";
import type { Options } from "../options/options.ts";
import type { McpAccess } from "./mcp-access.ts";
import { tapped } from "./tapped-stream.ts";

/** Who would wait longer than this for its stream comes back later. */
const patienceMs = 10_000;

type Pace = Pick<Options, "mcpStreamIntervalMs" | "mcpStreamBurst">;

export interface StreamGateOptions {
  readonly clock: Clock;
  readonly budget: RequestBudget;
  readonly serve: (stream: GrpcStream) => void;
}

/** Where streams begin that others open: each identity may open so many. Who they are was found out before (SRV-2). */
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

/** One that opens as often as the settings say. */
export function streamGate({ options, clock, serve }: Omit<StreamGateOptions, "budget"> & { readonly options: Pace }) {
  const { mcpStreamIntervalMs, mcpStreamBurst: burst } = options;
  const budget = new RequestBudget({ clock, perSecond: 1000 / mcpStreamIntervalMs, burst });
  return new StreamGate({ clock, budget, serve });
}

/** Without a proof of identity, all connections of a machine are taken for one. */
function payerOf({ peer: { address, identities = [] } }: GrpcStream): string {
  return identities.join(" ") || address.replace(/:\d+$/, "");
}
