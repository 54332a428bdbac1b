import type { Bookinfo, DemoWorkload } from "../bookinfo.ts";
import type { ReviewsCaller } from "./caller.ts";

/** The addresses and files that a caller needs. */
interface Surroundings {
  readonly bookinfo: Bookinfo;
  readonly xdsPort: number;
}

/** One stream of calls to reviews, and its place on the screen. */
export interface Flow {
  /** The user of the calls: the rules of the example depend on it. */
  readonly user: string;
  /** The path of the calls, in a few words. */
  readonly way: (bookinfo: Bookinfo) => string;
  readonly start: (surroundings: Surroundings) => Promise<ReviewsCaller>;
}

/** The participants of a demo. Everything else is the same in all demos. */
export interface Edition {
  readonly title: string;
  /** Resolves when everything outside the repository is available. */
  readonly prepare: () => Promise<void>;
  readonly startWorkload: (workload: DemoWorkload) => Promise<AsyncDisposable>;
  readonly flows: readonly Flow[];
}

/** The headers of jason's calls. */
export const jasonHeaders = { "end-user": "jason" } as const;
