import { GrpcStatus, type GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
import type { WorkGate } from "../../../lib/overload/overload.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Admitted, Refusal } from "../../../xds/admission.ts";
import type { OutOfBandHandler } from "../../../xds/xds-server.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { admit } from "./admission.ts";
import { LoadLimit } from "./load-limit.ts";
import { PeerLimits } from "./peer-limits.ts";
import { StreamBudget } from "./stream-budget.ts";

/** Called when a proxy connects and disconnects, and for out-of-band messages that it handles. */
export interface ProxyLifecycleHooks extends OutOfBandHandler<Proxy> {
  /** The refusal, if it refuses the proxy. */
  arrived(proxy: Proxy): Refusal | undefined;
  left(proxy: Proxy): void;
}

export interface StreamAdmissionOptions {
  readonly clock: Clock;
  /** New streams per second; 0 derives the rate from their measured cost. */
  readonly streamsPerSecond: number;
  readonly identityCheck: boolean;
  readonly maxNodeBytes: number;
  readonly plaintextSecrets: boolean;
  /** Streams of one peer at a time; 0 for any number. */
  readonly maxStreamsPerPeer: number;
  readonly lifecycleHooks?: ProxyLifecycleHooks | undefined;
  /** Slows down or refuses new streams under load. */
  readonly gate: WorkGate;
}

/** Admits streams: each when the rules allow it, at a rate that does not harm existing streams. */
export class StreamAdmission {
  readonly #options: StreamAdmissionOptions;
  readonly #budget: StreamBudget;
  readonly #peers: PeerLimits;
  readonly #loadLimit: LoadLimit;

  constructor(options: StreamAdmissionOptions) {
    this.#options = options;
    const { clock, streamsPerSecond: perSecond, gate } = options;
    const isSlower = () => gate.paceOf("streams") === "slower";
    this.#budget = new StreamBudget({ clock, perSecond, isSlower });
    this.#loadLimit = new LoadLimit(gate);
    this.#peers = new PeerLimits({ clock: options.clock, maxStreams: options.maxStreamsPerPeer });
  }

  /** The same stream, with its peer's limits and the budget for its first requests. */
  metered(stream: GrpcStream): GrpcStream {
    return this.#budget.metered(this.#peers.counted(stream));
  }

  /** `ready` when there is something to serve. */
  admit({ peer }: GrpcStream, ready: boolean): Admitted<Proxy> | Refusal | Promise<Admitted<Proxy>> {
    const { identityCheck, maxNodeBytes, plaintextSecrets, clock } = this.#options;
    const admission = admit(peer, { ready, identityCheck, maxNodeBytes, plaintextSecrets });
    if (admission.type === "refused") return admission;
    const refusal = this.#loadLimit.refusal() ?? this.#peers.refusalOf(peer);
    if (refusal !== undefined) return refusal;
    const admitted: Admitted<Proxy> = { ...admission, introduce: (node) => this.#welcome(admission.introduce(node)) };
    const entry = this.#budget.enter(peer);
    if (entry.type === "refused") return tooMany(entry.retryAfterMs);
    return entry.type === "now" ? admitted : after(clock, entry.afterMs, admitted);
  }

  #welcome(introduced: ReturnType<Admitted<Proxy>["introduce"]>): ReturnType<Admitted<Proxy>["introduce"]> {
    if (introduced.type === "refused") return introduced;
    return this.#options.lifecycleHooks?.arrived(introduced.client) ?? introduced;
  }
}

function after<T>(clock: Clock, ms: number, value: T): Promise<T> {
  return new Promise((resolve) => clock.after(ms, () => resolve(value)));
}

function tooMany(retryAfterMs: number): Refusal {
  const message = `too many new streams at once: try again in ${retryAfterMs} ms`;
  return { type: "refused", status: GrpcStatus.RESOURCE_EXHAUSTED, message, retryAfterMs };
}
