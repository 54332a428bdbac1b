import type { Socket } from "node:net";
import { errorFrom } from "../../../../lib/errors.ts";
import type { Cancel, Clock } from "../../../../lib/time/clock.ts";
import type { Greeting } from "../wire/answers.ts";
import { Conversation } from "../wire/conversation.ts";
import type { Hello } from "../wire/requests.ts";
import { zooKeeperLimits } from "../zookeeper-limits.ts";
import { dial, type TlsFiles } from "./dial.ts";

export interface LineOptions {
  /** `HOST:PORT`. */
  readonly address: string;
  readonly clock: Clock;
  readonly tls?: TlsFiles | undefined;
  readonly maxAnswerBytes?: number | undefined;
  readonly hello: Hello;
  readonly onGreeting: (greeting: Greeting) => void;
  readonly onLoginRefused: () => void;
  /** The connection failed or ended, unless we hung up. A reason is given if waiting for the server does not help. */
  readonly onEnd: (reason: string | undefined) => void;
}

/** One connection to one server: a socket, and the conversation over it. */
export class Line {
  readonly conversation: Conversation;
  readonly #options: LineOptions;
  readonly #cancelLimit: Cancel;
  #socket: Socket | undefined;
  #over = false;

  constructor(options: LineOptions) {
    const { clock, hello, onLoginRefused, maxAnswerBytes = zooKeeperLimits.answerBytes.most } = options;
    this.#options = options;
    this.conversation = new Conversation({
      hello,
      maxAnswerBytes,
      send: (bytes) => this.#send(bytes),
      onGreeting: (greeting) => this.#greet(greeting),
      onLoginRefused,
    });
    this.#cancelLimit = clock.after(zooKeeperLimits.dialMs.most, () => this.fail(undefined));
    void this.#dial();
  }

  /** Ends the session at the server, too. */
  leave(): void {
    this.conversation.leave();
    this.#end((socket) => socket.destroySoon());
  }

  /** Ends the connection without a report. */
  hangUp(): void {
    this.#end((socket) => socket.destroy());
  }

  /** Ends the connection and reports it. */
  fail(reason: string | undefined): void {
    if (this.#over) return;
    this.hangUp();
    this.#options.onEnd(reason);
  }

  async #dial(): Promise<void> {
    const { address, tls } = this.#options;
    try {
      await dial({
        address,
        tls,
        onSocket: (socket) => this.#use(socket),
        onReady: () => this.conversation.begin(),
      });
    } catch (thrown) {
      this.fail(`TLS with ${address} failed: ${errorFrom(thrown).message}`);
    }
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    socket.on("error", (error) => this.fail(this.#reasonOf(error)));
    socket.on("close", () => this.fail(undefined));
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    if (this.#over) socket.destroy();
  }

  /** Errors of the network pass, and say nothing about a server that restarts. Errors of certificates stay. */
  #reasonOf(error: NodeJS.ErrnoException): string | undefined {
    const { syscall, code = "" } = error;
    const isOfNetwork = networkErrors.has(code) || (syscall !== undefined && code !== "EPROTO");
    return isOfNetwork ? undefined : `TLS with ${this.#options.address} failed: ${error.message}`;
  }

  #greet(greeting: Greeting): void {
    this.#cancelLimit();
    this.#options.onGreeting(greeting);
  }

  #receive(bytes: Buffer): void {
    if (this.#over) return;
    try {
      this.conversation.receive(bytes);
    } catch (thrown) {
      this.fail(errorFrom(thrown).message);
    }
  }

  #send(bytes: Buffer): void {
    if (!this.#over) this.#socket?.write(bytes);
  }

  #end(close: (socket: Socket) => void): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelLimit();
    if (this.#socket !== undefined) close(this.#socket);
    this.conversation.end();
  }
}

/** Errors without a system call that a lost connection causes. */
const networkErrors = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"]);
