import type { ConfigId } from "../../config/config.ts";
import type { XdsObserver } from "../../pilot/xds/observer.ts";
import type { FinishedSearch } from "../../pilot/xds/quarantine/observer.ts";
import type { Refusal } from "../../pilot/xds/quarantine/refusals.ts";
import type { RolloutEvent } from "../../pilot/xds/rollout/rollout-event.ts";
import type { Client } from "../../xds/resource-source.ts";
import type { SentResponse } from "../../xds/stream-observer.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";

/** Counts and keeps the reports of the server. */
export class RecordingObserver implements XdsObserver {
  readonly sent: SentResponse[] = [];
  readonly failures: Error[] = [];
  readonly refusals: string[] = [];
  /** How long the oldest update of each push waited in the debounce window. */
  readonly debounced: number[] = [];
  /** How long connections waited in the push queue. */
  readonly waits: number[] = [];
  /** The time from a change to the last of its responses to a client. */
  readonly convergences: number[] = [];
  /** The time that streams needed to accept each response. */
  readonly writes: number[] = [];
  /** The types of stale ACKs and NACKs. */
  readonly stale: string[] = [];
  delays = 0;
  releases = 0;
  readonly unsent: string[] = [];
  overdue = 0;
  delayTimeouts = 0;
  rejections = 0;
  /** Objects that went into the quarantine, and out of it again, in order. */
  readonly quarantine: string[] = [];
  readonly searches: FinishedSearch[] = [];
  /** The events of rollouts, in order. */
  readonly rollouts: string[] = [];
  readonly unknownTypes: string[] = [];
  open = 0;
  /** The reports about streams as text, in order. */
  readonly told: string[] = [];

  connected({ nodeId }: Client): void {
    this.open++;
    this.told.push(`${nodeId} connected`);
  }
  disconnected(node: string, reason: string): void {
    this.open--;
    this.told.push(`${node} disconnected: ${reason}`);
  }
  refused(reason: string): void {
    this.refusals.push(reason);
  }
  responseSent(response: SentResponse): void {
    this.sent.push(response);
  }
  rejected(type: string, node: string, reason: string, subscription?: Subscription): void {
    this.rejections++;
    this.told.push(`${node} rejected ${subscription?.type.shortName ?? "an earlier"} ${type}: ${reason}`);
  }
  objectQuarantined({ id, instead }: Refusal): void {
    this.quarantine.push(`${id}: ${instead.type}`);
  }
  rolloutMoved(id: string, { type, wave, proxies, reason }: RolloutEvent): void {
    this.rollouts.push(`${id} ${type} ${wave} ${proxies}${reason === "" ? "" : ` ${reason}`}`);
  }
  rolloutFailed(_id: string, cause: Error): void {
    this.failures.push(cause);
  }
  objectReleased(id: ConfigId): void {
    this.quarantine.push(`${id}: released`);
  }
  searchEnded(search: FinishedSearch): void {
    this.searches.push(search);
  }
  searchFailed(cause: Error): void {
    this.failures.push(cause);
  }
  staleNonce(type: string): void {
    this.stale.push(type);
  }
  delayed(type: string, node: string): void {
    this.delays++;
    this.told.push(`${node} delayed ${type}`);
  }
  released(type: string, node: string): void {
    this.releases++;
    this.told.push(`${node} released ${type}`);
  }
  sendFailed(type: string, node: string, timedOut: boolean): void {
    this.unsent.push(timedOut ? `${type} timed out` : type);
    this.told.push(`${node} was not sent ${type}`);
  }
  ackOverdue(type: string, node: string, delayed: boolean): void {
    this.overdue++;
    if (delayed) this.delayTimeouts++;
    this.told.push(`${node} owes a word on ${type}`);
  }
  unknownType(typeUrl: string, node: string): void {
    this.unknownTypes.push(typeUrl);
    this.told.push(`${node} asked for ${typeUrl}`);
  }
  pushStarted({ debouncedMs }: { readonly debouncedMs: number }): void {
    this.debounced.push(debouncedMs);
  }
  pushFailed(cause: Error): void {
    this.failures.push(cause);
  }
  streamFailed(node: string, cause: Error): void {
    this.failures.push(cause);
    this.told.push(`${node} failed: ${cause.message}`);
  }
  generatorFailed({ cause }: { cause: Error }): void {
    this.failures.push(cause);
  }
  converged(node: string, ms: number): void {
    this.convergences.push(ms);
    this.told.push(`${node} converged`);
  }
  written(ms: number): void {
    this.writes.push(ms);
  }
  dequeued(waitedMs: number): void {
    this.waits.push(waitedMs);
  }
}
