import type { CloseReason } from "../../lib/grpc/grpc-stream.ts";
import type {
  AnswerFacts,
  NackStatus,
  PushFacts,
  RejectedResource,
  RequestFacts,
  SinkObserver,
  SourceObserver,
  StreamFacts,
} from "../../mcp/mcp-observer.ts";

/** Keeps what a source says of itself. */
export class RecordingSource implements SourceObserver {
  readonly pushes: PushFacts[] = [];
  readonly requests: RequestFacts[] = [];
  readonly acks: AnswerFacts[] = [];
  readonly nacks: (AnswerFacts & NackStatus)[] = [];
  readonly stales: AnswerFacts[] = [];
  readonly unknown: string[] = [];
  readonly failures: Error[] = [];
  readonly overdue: { readonly collection: string; readonly ms: number }[] = [];
  readonly reasons: CloseReason[] = [];
  waits = 0;
  open = 0;

  opened(_stream: StreamFacts): void {
    this.open++;
  }
  closed(_stream: StreamFacts, reason: CloseReason): void {
    this.open--;
    this.reasons.push(reason);
  }
  requested(request: RequestFacts): void {
    this.requests.push(request);
  }
  pushed(push: PushFacts): void {
    this.pushes.push(push);
  }
  acked(answer: AnswerFacts): void {
    this.acks.push(answer);
  }
  nacked(answer: AnswerFacts, refusal: NackStatus): void {
    this.nacks.push({ ...answer, ...refusal });
  }
  stale(answer: AnswerFacts, _refusal: NackStatus | undefined): void {
    this.stales.push(answer);
  }
  unknownCollection({ collection }: RequestFacts): void {
    this.unknown.push(collection);
  }
  throttled(): void {
    this.waits++;
  }
  ackOverdue({ collection }: PushFacts, ms: number): void {
    this.overdue.push({ collection, ms });
  }
  failed(_stream: StreamFacts, cause: Error): void {
    this.failures.push(cause);
  }
}

/** Keeps what a sink says of itself. */
export class RecordingSink implements SinkObserver {
  readonly acks: PushFacts[] = [];
  readonly nacks: (PushFacts & NackStatus & { readonly rejected: readonly RejectedResource[] })[] = [];
  readonly reasons: CloseReason[] = [];
  readonly attachments: StreamFacts[] = [];
  readonly receipts: PushFacts[] = [];

  attached(stream: StreamFacts): void {
    this.attachments.push(stream);
  }
  detached(_stream: StreamFacts, reason: CloseReason): void {
    this.reasons.push(reason);
  }
  received(push: PushFacts): void {
    this.receipts.push(push);
  }
  acked(push: PushFacts): void {
    this.acks.push(push);
  }
  nacked(push: PushFacts, refusal: NackStatus, rejected: readonly RejectedResource[]): void {
    this.nacks.push({ ...push, code: refusal.code, message: refusal.message, rejected });
  }
}
