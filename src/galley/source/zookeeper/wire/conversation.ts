import { MeshError } from "../../../../lib/errors.ts";
import { AnswerFrames } from "./answer-frames.ts";
import type { NodeAnswer, OnChange, OnTreeChanges, TreeChange } from "../session.ts";
import {
  type AnswerHead,
  failureOf,
  type Greeting,
  noError,
  noNode,
  readGreeting,
  readHead,
  readWatchEvent,
} from "./answers.ts";
import { JuteReader } from "./jute.ts";
import { NodeWatches, type Watched } from "./node-watches.ts";
import {
  closeRequest,
  fixedNumbers,
  type Hello,
  helloRequest,
  loginRequest,
  nodeRequest,
  pingRequest,
  watchTreeRequest,
} from "./requests.ts";

export interface ConversationOptions {
  /** Sends bytes to the server. */
  readonly send: (bytes: Buffer) => void;
  /** The largest accepted answer. */
  readonly maxAnswerBytes: number;
  readonly hello: Hello;
  readonly onGreeting: (greeting: Greeting) => void;
  /** The server did not accept the login. */
  readonly onLoginRefused: () => void;
}

interface Pending {
  readonly number: number;
  /** Takes the answer, or undefined if the connection ends before it. */
  readonly take: (answer: { readonly head: AnswerHead; readonly body: JuteReader } | undefined) => void;
}

/** Numbers of requests are positive, and have four bytes. */
const largestNumber = 2 ** 31 - 1;

/** Where an answer begins, after its length. */
const bodyAt = 4;

/**
 * One connection from its first message to its end. It does no I/O: bytes of the server come in through `receive`, and
 * requests leave through `send`. Servers answer in the order of the requests, and report a change before any answer
 * that shows it.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #frames: AnswerFrames;
  readonly #pending: Pending[] = [];
  readonly #watches = new NodeWatches();
  readonly #trees = new Map<string, OnTreeChanges>();
  /** Changes of watched trees that are not reported yet. */
  #changes: TreeChange[] = [];
  /**
   * Whether the last of these changes came without its transaction, as from servers before 3.9. The changes wait for an
   * answer, which has a transaction. Otherwise a later connection could show the state before them.
   */
  #unconfirmed = false;
  #pinging = false;
  #greeted = false;
  #ended = false;
  #lastNumber = 0;
  #seen: bigint;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#seen = options.hello.seen;
    this.#frames = new AnswerFrames(options.maxAnswerBytes, (answer) => this.#take(new JuteReader(answer, bodyAt)));
  }

  /** The last transaction that the server has shown. */
  get seen(): bigint {
    return this.#seen;
  }

  begin(): void {
    this.#options.send(helloRequest(this.#options.hello));
  }

  login(login: string): void {
    this.#options.send(loginRequest(login));
  }

  ping(): void {
    this.#pinging = true;
    this.#options.send(pingRequest());
  }

  leave(): void {
    this.#options.send(closeRequest(this.#nextNumber()));
  }

  /**
   * Changes of trees in these bytes are reported together, at their end. Throws for an answer over the limit and for
   * invalid answers. The connection must be closed then.
   */
  receive(bytes: Uint8Array): void {
    this.#frames.push(bytes);
    if (this.#changes.length === 0) return;
    if (!this.#unconfirmed) this.#report();
    else if (!this.#pinging) this.ping();
  }

  /** The connection is over: waiting questions are lost. */
  end(): void {
    this.#ended = true;
    for (const { take } of this.#pending.splice(0)) take(undefined);
  }

  /** Asks about a node. With `onChange`, the next change is reported. */
  ask<T>(what: Watched, path: string, { read, onChange }: Question<T>): Promise<NodeAnswer<T>> {
    const watched = onChange !== undefined;
    return this.#request(
      (number) => nodeRequest(number, { what, path, watched }),
      ({ error }, body) => {
        // A missing node can only be watched for its creation.
        if (watched && (error === noError || (error === noNode && what === "exists"))) {
          this.#watches.add(what, path, onChange);
        }
        return error === noError ? { type: "found", value: read(body) } : failureOf(error);
      },
    );
  }

  /** Reports all changes of a node and of the nodes below it. */
  watchTree(path: string, onChanges: OnTreeChanges): Promise<NodeAnswer<true>> {
    return this.#request(
      (number) => watchTreeRequest(number, path),
      ({ error }) => {
        if (error !== noError) return failureOf(error);
        this.#trees.set(path, onChanges);
        return { type: "found", value: true };
      },
    );
  }

  #request<T>(
    write: (number: number) => Buffer,
    read: (head: AnswerHead, body: JuteReader) => NodeAnswer<T>,
  ): Promise<NodeAnswer<T>> {
    if (!this.#greeted || this.#ended) return Promise.resolve({ type: "lost" });
    const number = this.#nextNumber();
    return new Promise((resolve) => {
      this.#pending.push({
        number,
        take: (answer) => resolve(answer === undefined ? { type: "lost" } : read(answer.head, answer.body)),
      });
      this.#options.send(write(number));
    });
  }

  #nextNumber(): number {
    this.#lastNumber = this.#lastNumber === largestNumber ? 1 : this.#lastNumber + 1;
    return this.#lastNumber;
  }

  #take(reader: JuteReader): void {
    if (!this.#greeted) {
      const greeting = readGreeting(reader);
      this.#greeted = true;
      this.#options.onGreeting(greeting);
      return;
    }
    const head = readHead(reader);
    if (head.transaction > this.#seen) this.#seen = head.transaction;
    if (head.transaction > 0n) this.#unconfirmed = false;
    switch (head.number) {
      case fixedNumbers.watchEvent:
        this.#takeEvent(head, reader);
        return;
      case fixedNumbers.ping:
        this.#pinging = false;
        return;
      case fixedNumbers.login:
        if (head.error !== noError) this.#options.onLoginRefused();
        return;
      default:
        this.#takeAnswer(head, reader);
    }
  }

  #takeAnswer(head: AnswerHead, body: JuteReader): void {
    const next = this.#pending[0];
    if (next?.number !== head.number) {
      const awaited = next === undefined ? "none" : next.number;
      throw new MeshError("peer-protocol", `ZooKeeper answers request ${head.number}, but ${awaited} is next`);
    }
    next.take({ head, body });
    this.#pending.shift();
  }

  #takeEvent({ transaction }: AnswerHead, reader: JuteReader): void {
    const event = readWatchEvent(reader);
    if (event === undefined) return;
    this.#watches.fire(event);
    const { type, path } = event;
    if (type === "children" || this.#trees.size === 0) return;
    this.#changes.push({ type, path });
    this.#unconfirmed = transaction <= 0n;
  }

  #report(): void {
    const changes = this.#changes;
    this.#changes = [];
    for (const [root, onChanges] of this.#trees) {
      const own = changes.filter(({ path }) => path === root || path.startsWith(`${root}/`));
      if (own.length > 0) onChanges(own);
    }
  }
}

interface Question<T> {
  readonly read: (body: JuteReader) => T;
  readonly onChange: OnChange | undefined;
}
