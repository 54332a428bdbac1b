import type { StreamObserver } from "../../xds/observer.ts";
import type { Proxy } from "../model/proxy.ts";
import type { GeneratorProblem } from "./catalogue.ts";

/** What the discovery server tells those who count and log. The app makes metrics and log lines of it. */
export interface XdsObserver extends StreamObserver<Proxy> {
  /** A new context was published: how long it took to make, and how many updates it carries. */
  pushStarted(push: { readonly durationMs: number; readonly reasons: ReadonlyMap<string, number> }): void;
  pushFailed(cause: Error): void;
  generatorFailed(problem: GeneratorProblem): void;
}
