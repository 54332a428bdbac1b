import type { Bookinfo, Workload } from "../bookinfo.ts";
import type { Caller } from "./caller.ts";

/** Where a caller finds what it needs. */
interface Surroundings {
  readonly bookinfo: Bookinfo;
  readonly xdsPort: number;
}

/** One stream of calls to reviews, and its place on the screen. */
export interface Flow {
  /** On whose behalf: the rules of the example care. */
  readonly user: string;
  /** By which way, in a few words. */
  readonly way: (bookinfo: Bookinfo) => string;
  readonly start: (surroundings: Surroundings) => Promise<Caller>;
}

/** What differs between the demos: who takes part. All the rest is the same. */
export interface Edition {
  readonly title: string;
  /** Resolves when all that is not in the repository is at hand. */
  readonly prepare: () => Promise<void>;
  readonly startWorkload: (workload: Workload) => Promise<AsyncDisposable>;
  readonly flows: readonly Flow[];
}

/** What makes a call jason's. */
export const jasonHeaders = { "end-user": "jason" } as const;
