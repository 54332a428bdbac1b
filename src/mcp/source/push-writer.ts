import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { ResourceSet } from "../../xds/resources/resource-set.ts";
import type { PushFacts, SourceObserver, StreamFacts } from "../mcp-observer.ts";
import { triggerCollection } from "../trigger.ts";
import { type EncodedPush, encodePush, type PushContent } from "./encode-push.ts";

/** A push that is ready to send, with its facts for the observer. */
export interface PreparedPush {
  readonly message: EncodedPush;
  readonly facts: PushFacts;
}

/** Writes the pushes of one stream. Nonces count from 1, over all collections (SRC-16). */
export class PushWriter {
  readonly #stream: GrpcStream;
  readonly #facts: StreamFacts;
  readonly #observer: SourceObserver;
  #nonce = 0;

  constructor(stream: GrpcStream, facts: StreamFacts, observer: SourceObserver) {
    this.#stream = stream;
    this.#facts = facts;
    this.#observer = observer;
  }

  /** Sends the first message if the source dialled (OUT-2). It has no nonce and uses none up (OUT-3). */
  trigger(): void {
    const nothing = ResourceSet.empty.versioned("");
    const { prefix } = encodePush({ collection: triggerCollection, nonce: "" }, nothing, { type: "full" });
    this.#stream.send(prefix, []);
  }

  /** Takes the next nonce. */
  prepare(collection: string, set: ResourceSet, content: PushContent): PreparedPush {
    const nonce = String(++this.#nonce);
    const message = encodePush({ collection, nonce }, set, content);
    const { bytes, resources, removed } = message;
    const incremental = content.type === "delta";
    const { version } = set;
    return { message, facts: { ...this.#facts, collection, version, nonce, incremental, resources, removed, bytes } };
  }

  /** Call this last, because the answer may arrive before this call returns. */
  send({ message, facts }: PreparedPush): void {
    this.#observer.pushed(facts);
    this.#stream.send(message.prefix, message.segments);
  }
}
