import type { StreamObserver } from "../../xds/stream-observer.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { GeneratorProblem } from "./catalogue.ts";
import type { QuarantineObserver } from "./quarantine/observer.ts";
import type { RolloutObserver } from "./rollout/staged-rollout.ts";

/** A new context was published. */
export interface StartedPush {
  /** Increases with every push. */
  readonly number: number;
  /** The commits that are in this push, by their sequences. A commit may be in the next push, too. */
  readonly commits: readonly number[];
  /** The debounce time of its oldest update. */
  readonly debouncedMs: number;
  /** How long it took to make. */
  readonly durationMs: number;
  /** The number of its updates, by reason. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** Events of the discovery server. The app turns them into metrics and log lines. */
export interface XdsObserver extends StreamObserver<Proxy>, QuarantineObserver, RolloutObserver {
  pushStarted(push: StartedPush): void;
  /** A connection is taken from the push queue, after this waiting time. */
  dequeued(waitedMs: number): void;
  pushFailed(cause: Error): void;
  generatorFailed(problem: GeneratorProblem): void;
}
