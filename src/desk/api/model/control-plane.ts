/** `GET /api/v1/control-plane`: the server itself. Only for operators. */
export interface ControlPlane {
  readonly version: string;
  readonly commit: string;
  readonly startedAt: string;
  /** Listen addresses by name, `off` for closed ones. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly streams: StreamCounts;
  readonly queue: { readonly waiting: number; readonly longestWaitMs: number; readonly settled: boolean };
  /** In milliseconds, of the pushes that the journal holds. */
  readonly pushPhases: Readonly<Record<"debounce" | "build" | "acknowledge", PhaseTime>>;
  readonly process: ProcessFacts;
  readonly load: { readonly level: string; readonly reason?: string };
  readonly certificates: readonly CertificateFacts[];
  /** Log scopes with their levels. */
  readonly logLevels: Readonly<Record<string, string>>;
  /** Parts of the server that failed and are paused. */
  readonly problems: readonly { readonly part: string; readonly reason: string }[];
}

export interface StreamCounts {
  readonly total: number;
  readonly sotw: number;
  readonly delta: number;
}

/** Absent values: nothing was measured so far. */
export interface PhaseTime {
  readonly count: number;
  readonly p50?: number;
  readonly p99?: number;
}

export interface ProcessFacts {
  readonly uptimeMs: number;
  readonly heapUsedBytes: number;
  readonly heapLimitBytes: number;
  readonly rssBytes: number;
  /** p99 since the last answer, in milliseconds. */
  readonly eventLoopDelayMs: number;
  readonly stalls: number;
}

export interface CertificateFacts {
  readonly name: string;
  readonly subject: string;
  readonly expires: string;
}

/** The body of `PUT /api/v1/control-plane/log-level`. Only operators on this machine, or with a token, may send it. */
export interface LogLevelRequest {
  readonly scope: string;
  readonly level: string;
}
