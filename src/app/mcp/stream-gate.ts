import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { RequestBudget } from "../../mcp/source/request-budget.ts";
import type { Options } from "../options/options.ts";
import type { McpAccess } from "./mcp-access.ts";
import { tapped } from "./tapped-stream.ts";

/** A client that would wait longer than this for its stream is refused and may retry. */
const patienceMs = 10_000;

type Pace = Pick<Options, "mcpStreamIntervalMs" | "mcpStreamBurst">;

export interface StreamGateOptions {
  readonly clock: Clock;
  readonly budget: RequestBudget;
  readonly serve: (stream: GrpcStream) => void;
}

/** Limits the rate of new streams per identity. Authentication happens before (SRV-2). */
export class StreamGate {
  readonly #options: StreamGateOptions;

  constructor(options: StreamGateOptions) {
    this.#options = options;
  }

  /** With `access`, ends the stream when its peer is no longer admitted. */
  admit(stream: GrpcStream, access?: McpAccess): void {
    const { clock, budget, serve } = this.#options;
    budget.sweep();
    const waitMs = budget.takeOne(payerOf(stream));
    if (waitMs > patienceMs) {
      return stream.end(GrpcStatus.RESOURCE_EXHAUSTED, "too many concurrent streams", { retryAfterMs: waitMs });
    }
    access?.watch(stream);
    const watched = tapped(stream, { onClose: () => access?.release(stream) });
    if (waitMs === 0) return serve(watched);
    clock.after(waitMs, () => serve(watched));
  }
}

/** A gate with the rates of the settings. */
export function streamGate({ options, clock, serve }: Omit<StreamGateOptions, "budget"> & { readonly options: Pace }) {
  const { mcpStreamIntervalMs, mcpStreamBurst: burst } = options;
  const budget = new RequestBudget({ clock, perSecond: 1000 / mcpStreamIntervalMs, burst });
  return new StreamGate({ clock, budget, serve });
}

/** Unauthenticated connections from one machine share one limit. */
function payerOf({ peer: { address, identities = [] } }: GrpcStream): string {
  return identities.join(" ") || address.replace(/:\d+$/, "");
}
