import type { XdsObserver } from "../pilot/xds/observer.ts";
import type { SentResponse } from "../xds/observer.ts";

/** Counts and keeps what the server says of itself. */
export class RecordingObserver implements XdsObserver {
  readonly sent: SentResponse[] = [];
  readonly failures: Error[] = [];
  readonly refusals: string[] = [];
  delays = 0;
  overdue = 0;
  open = 0;

  connected(): void {
    this.open++;
  }
  disconnected(): void {
    this.open--;
  }
  refused(reason: string): void {
    this.refusals.push(reason);
  }
  responseSent(response: SentResponse): void {
    this.sent.push(response);
  }
  rejected(): void {}
  staleNonce(): void {}
  delayed(): void {
    this.delays++;
  }
  ackOverdue(): void {
    this.overdue++;
  }
  unknownType(): void {}
  pushStarted(): void {}
  pushFailed(cause: Error): void {
    this.failures.push(cause);
  }
  streamFailed(_node: string, cause: Error): void {
    this.failures.push(cause);
  }
  generatorFailed({ cause }: { cause: Error }): void {
    this.failures.push(cause);
  }
  converged(): void {}
}
