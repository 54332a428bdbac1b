/** `GET /api/v1/control-plane`: the server itself. Only for operators. */
export interface ControlPlane {
  readonly version: string;
  readonly commit: string;
  readonly startedAt: string;
  /** Listen addresses by name, `off` for closed ones. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly streams: StreamCounts;
  readonly queue: PushQueueFacts;
  /** In milliseconds, of the pushes that the journal holds. */
  readonly pushPhases: Readonly<Record<"debounce" | "build" | "acknowledge", PhaseTime>>;
  readonly process: ProcessFacts;
  readonly load: LoadFacts;
  /** The ones that expire first come first. */
  readonly certificates: readonly CertificateFacts[];
  readonly log: LogFacts;
  /** Parts of the server that failed, and have not worked since. */
  readonly problems: readonly { readonly part: string; readonly reason: string }[];
}

export interface StreamCounts {
  readonly total: number;
  readonly sotw: number;
  readonly delta: number;
  /** Open desks: readers of `/api/v1/events`. */
  readonly desks: number;
  /** Desks that were disconnected because they read too slowly. */
  readonly slowDesks: number;
}

export interface PushQueueFacts {
  /** Proxies in the queue. */
  readonly waiting: number;
  readonly longestWaitMs: number;
  /** No change waits for a push. */
  readonly settled: boolean;
  /** A change waits until no other follows for `afterMs`, and for `maxMs` at most. */
  readonly debounce: { readonly afterMs: number; readonly maxMs: number };
  readonly pushesLastMinute: number;
}

/** Absent values: nothing was measured so far. `p50` and `p99` are at most 5 % too high. */
export interface PhaseTime {
  readonly count: number;
  readonly p50?: number;
  readonly p99?: number;
}

export interface ProcessFacts {
  readonly uptimeMs: number;
  readonly heapUsedBytes: number;
  /** Absent if it is not measured. */
  readonly heapLimitBytes?: number;
  readonly rssBytes: number;
  /** The mean delay of the event loop in the last half second, in milliseconds; absent if it is not measured. */
  readonly eventLoopDelayMs?: number;
  readonly watchdog: WatchdogFacts;
}

/** The watchdog logs the stack of a main thread that is stuck. */
export type WatchdogFacts =
  | { readonly type: "off" }
  | { readonly type: "on"; readonly stallMs: number; readonly stalls: number };

/** How loaded the server is, and the work that it delays or refuses. */
export interface LoadFacts {
  readonly level: "normal" | "elevated" | "high" | "critical";
  readonly reason?: string;
  readonly advice?: string;
  readonly resources: readonly LoadResource[];
  readonly work: readonly { readonly name: string; readonly pace: string; readonly shed: number }[];
}

/** One resource that can become scarce: milliseconds, or a share of its limit. */
export interface LoadResource {
  readonly name: string;
  readonly unit: "ms" | "share";
  readonly value: number;
  /** The value from which on the level is elevated. */
  readonly elevated: number;
}

export interface CertificateFacts {
  /** A listener, or the use in the certificate authority: `xds-tls`, `authority: root`. */
  readonly name: string;
  /** The subject, or a fingerprint. */
  readonly subject: string;
  readonly expires: string;
}

export interface LogFacts {
  readonly scopes: readonly { readonly name: string; readonly doc: string; readonly level: string }[];
  /** From the most talkative to the quietest. */
  readonly levels: readonly string[];
}

/**
 * The body of `PUT /api/v1/control-plane/log-level`; the answer is a `LogFacts`. It needs a token of an operator, also
 * from clients on the server's machine.
 */
export interface LogLevelRequest {
  readonly scope: string;
  readonly level: string;
}
