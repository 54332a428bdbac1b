import type { XdsObserver } from "../../pilot/xds/observer.ts";
import type { SentResponse } from "../../xds/observer.ts";

/** Counts and keeps what the server says of itself. */
export class RecordingObserver implements XdsObserver {
  readonly sent: SentResponse[] = [];
  readonly failures: Error[] = [];
  readonly refusals: string[] = [];
  delays = 0;
  overdue = 0;
  delayTimeouts = 0;
  rejections = 0;
  readonly unknownTypes: string[] = [];
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
  rejected(): void {
    this.rejections++;
  }
  staleNonce(): void {}
  delayed(): void {
    this.delays++;
  }
  ackOverdue(_type: string, _node: string, delayed: boolean): void {
    this.overdue++;
    if (delayed) this.delayTimeouts++;
  }
  unknownType(typeUrl: string): void {
    this.unknownTypes.push(typeUrl);
  }
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
  written(): void {}
  dequeued(): void {}
}
