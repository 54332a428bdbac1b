import type { StreamObserver } from "../../xds/stream-observer.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { GeneratorProblem } from "./catalogue.ts";

/** A new context was published. */
interface StartedPush {
  /** How long the oldest of its updates had waited for others. */
  readonly debouncedMs: number;
  /** How long it took to make. */
  readonly durationMs: number;
  /** How many updates it carries, by what they are. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** Events of the discovery server. The app turns them into metrics and log lines. */
export interface XdsObserver extends StreamObserver<Proxy> {
  pushStarted(push: StartedPush): void;
  /** It is a connection's turn in a push, for which it has waited so long. */
  dequeued(waitedMs: number): void;
  pushFailed(cause: Error): void;
  generatorFailed(problem: GeneratorProblem): void;
}
