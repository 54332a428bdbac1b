import type { CloseReason } from "../../lib/grpc/grpc-stream.ts";
import { SendTimeout } from "../../lib/grpc/send-timeout.ts";
import type { Client } from "../resource-source.ts";
import type { Target } from "../resources/target.ts";
import type { Answer } from "../subscription/answer.ts";
import { clusterType, endpointType } from "../type-urls.ts";
import { encodeDelta, encodeSotw } from "../wire/encode.ts";
import type { StreamState } from "./stream-state.ts";
import type { Watch } from "./watch.ts";

/** Called around the responses of a stream. */
export interface ResponseListener {
  /** A response leaves. */
  readonly sent: () => void;
  /** A response may be due, because the client did not answer the last one in time. */
  readonly overdue: () => void;
}

/** A computed answer. */
interface DueAnswer {
  readonly startedAt: number;
  /** Whether something is to be removed later. */
  readonly holdsBack: boolean;
}

/** Computes and sends the responses of one stream. */
export class StreamResponses<C extends Client> {
  readonly #state: StreamState<C>;
  readonly #listener: ResponseListener;
  /** Types of responses that have not left completely. */
  readonly #unsent = new Set<string>();
  #nonce = 0;

  constructor(state: StreamState<C>, listener: ResponseListener) {
    this.#state = state;
    this.#listener = listener;
  }

  /** Sends what is due of a type. */
  answer(watch: Watch): void {
    const startedAt = this.#state.context.clock.now();
    const { answer, holdsBack } = this.#due(watch, watch.target ?? []);
    if (answer === undefined) watch.done({ holdsBack });
    else this.#send(watch, answer, { startedAt, holdsBack });
  }

  /** All sent bytes have left. */
  flushed(): void {
    this.#unsent.clear();
  }

  /** The stream has ended. Bytes that have not left are lost. */
  close(reason: CloseReason): void {
    if (reason.type !== "broken") return;
    const timedOut = reason.cause instanceof SendTimeout;
    const { client, context } = this.#state;
    for (const type of this.#unsent) context.observer.sendFailed(type, client.nodeId, timedOut);
  }

  #due({ subscription }: Watch, target: Target): { readonly answer: Answer | undefined; readonly holdsBack: boolean } {
    const { ordering, routes, warming } = this.#state;
    const { typeUrl } = subscription.type;
    const mustResend = typeUrl === endpointType ? warming.mustResend : routes?.mustResend(typeUrl);
    let holdsBack = false;
    const mayRemove = () => {
      holdsBack = !ordering.mayRemove(typeUrl);
      return !holdsBack;
    };
    const answer = subscription.due(target, { mayRemove, ...(mustResend && { mustResend }) });
    return { answer, holdsBack };
  }

  #send(watch: Watch, answer: Answer, { startedAt, holdsBack }: DueAnswer): void {
    const { client, context, mode, progress, routes, stream, warming, watches } = this.#state;
    const { clock, observer } = context;
    const { subscription, causes, dialect } = watch;
    const nonce = String(++this.#nonce);
    const encode = mode === "sotw" ? encodeSotw : encodeDelta;
    const response = encode(dialect, nonce, answer);
    const repeats = subscription.repetitionsIn(answer);
    subscription.recordSent(nonce, answer, clock.now());
    this.#awaitAnswer(watch);
    if (subscription.type.typeUrl === clusterType) {
      warming.clustersSent(answer, watches.get(endpointType)?.subscription);
    }
    routes?.sent(answer, subscription);
    const awaitsAnswer = subscription.type.neverAcknowledged !== true;
    const isPartial = answer.postponed.length > 0;
    const pushes = watch.pushes.send(nonce, { awaitsAnswer, holdsBack, isPartial });
    if (pushes.length > 0) progress.sent(pushes);
    observer.responseSent({
      type: subscription.type.shortName,
      typeUrl: subscription.type.typeUrl,
      node: client.nodeId,
      resources: response.resources,
      removed: answer.removed.length,
      bytes: response.bytes,
      cause: causes.size === 0 ? ["request"] : [...causes],
      repeats,
      ...(pushes.length > 0 && { pushes }),
      ms: watch.madeMs + clock.now() - startedAt,
    });
    watch.done({ holdsBack });
    this.#unsent.add(subscription.type.shortName);
    this.#listener.sent();
    const sentAt = clock.now();
    // Must be last: the client's reply may arrive before this call returns.
    stream.send(response.prefix, response.segments);
    observer.written(clock.now() - sentAt);
  }

  #awaitAnswer(watch: Watch): void {
    const { clock, ackTimeoutMs } = this.#state.context;
    watch.stopWaiting();
    if (!watch.subscription.awaitsAck) return;
    watch.startWaiting(clock.after(ackTimeoutMs, () => this.#state.guarded(() => this.#overdue(watch))));
  }

  /** Envoy withholds the acknowledgement while clusters warm, so repeat their endpoints before anything else. */
  #overdue(watch: Watch): void {
    const { client, context, stream, warming, watches } = this.#state;
    const { inFlight, type } = watch.subscription;
    if (inFlight === undefined || stream.closed) return;
    context.observer.ackOverdue(type.shortName, client.nodeId, watch.delayed);
    watch.delayed = false;
    watch.subscription.stopAwaitingAck();
    if (type.typeUrl === clusterType) {
      warming.clustersOverdue(inFlight.answer, watches.get(endpointType)?.subscription);
    }
    this.#listener.overdue();
  }
}
