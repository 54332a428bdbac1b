import type { Proxy } from "../model/proxy.ts";
import type { GeneratorProblem } from "./catalogue.ts";

/** One response that left. */
export interface SentResponse {
  readonly type: string;
  readonly node: string;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  /** Why: the reasons of the push, or `request` when the client asked. */
  readonly cause: readonly string[];
}

/** What the discovery server tells those who count and log. The app makes metrics and log lines of it. */
export interface XdsObserver {
  connected(proxy: Proxy): void;
  disconnected(node: string, reason: string): void;
  /** A stream that was turned away: not ready, or a node that cannot be read. */
  refused(reason: string): void;
  responseSent(response: SentResponse): void;
  rejected(type: string, node: string, reason: string): void;
  staleNonce(type: string): void;
  /** A change had to wait for the acknowledgement of an earlier response. */
  delayed(type: string): void;
  ackOverdue(type: string, node: string): void;
  /** A new context was published: how long it took to make, and how many updates it carries. */
  pushStarted(push: { readonly durationMs: number; readonly reasons: ReadonlyMap<string, number> }): void;
  pushFailed(cause: Error): void;
  /** A bug showed while one stream was served: that stream was ended, the others live on. */
  streamFailed(node: string, cause: Error): void;
  generatorFailed(problem: GeneratorProblem): void;
  /** All of a push's responses for one proxy have left. */
  converged(node: string, ms: number): void;
}
