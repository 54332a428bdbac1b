import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import type { Admission } from "../../config/admission/admit.ts";
import type { JudgeOptions } from "../../config/admission/judge.ts";
import { codeOf, errorFrom, MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { type ListenAddress, parseAddress } from "../../transport/address.ts";
import { listen } from "../../transport/listen.ts";
import { type KeyPairFiles, type KeyPairOptions, keyPair } from "../../transport/tls/key-pair.ts";
import type { ReloadedFiles } from "../../transport/tls/reloaded-files.ts";
import { type Answer, text } from "../route.ts";
import { answerCall } from "./review-route.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

/** How long answers get to leave at a shutdown. */
const graceMs = 2_000;

/** From the first byte of a request to its last: Kubernetes itself waits ten seconds by default. */
const requestMs = 10_000;

const timeouts = {
  handshakeTimeout: 5_000,
  connectionsCheckingInterval: 500,
  /** Longer than Kubernetes keeps an idle connection: were we to close it first, a request might be lost with it. */
  keepAliveTimeout: 120_000,
};

export interface WebhookServerOptions extends Pick<JudgeOptions, "unknownFields"> {
  /** `HOST:PORT`, `:PORT` or `off`; port 0 lets the system choose. */
  readonly address: string;
  readonly files: KeyPairFiles;
  readonly openWatch: KeyPairOptions["openWatch"];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  /** Is told of reviews that throw. */
  readonly onFailure?: (error: unknown) => void;
  /** How long a request may take to arrive; only tests are less patient. */
  readonly requestTimeoutMs?: number;
}

/** The validating admission webhook: tells Kubernetes over HTTPS which objects are no good. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #address: ListenAddress;
  readonly #server: Server;
  readonly #keyPair: ReloadedFiles;
  #started: Promise<string> | undefined;

  /** Throws `bad-option` for an address that cannot be read. */
  constructor(options: WebhookServerOptions) {
    const { address, files, openWatch, clock, requestTimeoutMs = requestMs } = options;
    const parsed = parseAddress(address);
    if (parsed === undefined) throw new MeshError("bad-option", `${address} is not an address like :9443`);
    this.#address = parsed;
    this.#options = options;
    const settings = { ...timeouts, requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs };
    this.#server = createServer(settings, (request, response) => void this.#serve(request, response));
    this.#server.on("clientError", (error, socket) => this.#refuse(error, socket));
    this.#keyPair = keyPair({
      files,
      openWatch,
      clock,
      use: (context) => this.#useKeyPair(context),
      onError: (error) => this.#keepKeyPair(error),
    });
  }

  /** Resolves with the bound address, or `off`. Rejects with `listen-failed`, or `bad-option` without a usable pair. */
  start(): Promise<string> {
    this.#started = this.#start();
    return this.#started;
  }

  /** Takes no more requests, and lets those that are there be answered. May be called while it starts. */
  async stop(): Promise<void> {
    await this.#started?.catch(() => undefined);
    await this.#keyPair.stop();
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    const insist = this.#options.clock.after(graceMs, () => this.#server.closeAllConnections());
    await closed;
    insist();
  }

  async #start(): Promise<string> {
    if (this.#address.type === "off") return "off";
    await this.#keyPair.start().catch((cause: unknown) => {
      const sentence = `certificate and key cannot be used: ${errorFrom(cause).message}`;
      throw new MeshError("bad-option", sentence, { cause });
    });
    try {
      return await listen(this.#server, this.#address);
    } catch (thrown) {
      await this.#keyPair.stop();
      throw thrown;
    }
  }

  /** For what never became a request: it was not HTTP, or did not arrive in time. */
  #refuse({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
    this.#options.metrics.httpErrors.inc({ status });
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n\r\n`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#respond(request, response);
    } catch (thrown) {
      // Nobody awaits this: a rejection would end the process.
      this.#options.onFailure?.(thrown);
      response.destroy();
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request);
    if (answer === undefined) return;
    const { status, contentType, body } = answer;
    if (status >= 400) this.#options.metrics.httpErrors.inc({ status });
    // A connection with a rest of a request on it is of no further use; nor is one to a server that stops.
    const close = !request.complete || !this.#server.listening;
    response.writeHead(status, { "content-type": contentType, ...(close && { connection: "close" }) });
    response.end(body);
  }

  /** Undefined when there is nobody left to answer. */
  async #answer(request: IncomingMessage): Promise<Answer | undefined> {
    const { unknownFields, logger } = this.#options;
    try {
      return await answerCall(request, { unknownFields, onAdmission: (admission) => this.#record(admission) });
    } catch (thrown) {
      if (!request.complete) return undefined;
      logger.error({ err: thrown, path: request.url }, "review failed");
      this.#options.onFailure?.(thrown);
      return text("internal error: see the log", 500);
    }
  }

  #record({ verdict, labels, request }: Admission): void {
    const { metrics, logger } = this.#options;
    if (verdict.type === "allowed") {
      metrics.passed.inc({ ...labels });
      return;
    }
    const reason = verdict.type === "denied" ? verdict.reason : "unsupported_operation";
    metrics.failed.inc({ ...labels, reason });
    if (verdict.type !== "denied") return;
    const { kind, namespace, name, operation } = request ?? {};
    logger.warn({ kind, namespace, name, operation, reason, denial: verdict.message }, "object refused");
  }

  #useKeyPair(context: SecureContextOptions): void {
    this.#server.setSecureContext(context);
    if (!this.#server.listening) return;
    this.#options.metrics.keyPairUpdates.inc();
    this.#options.logger.info({ ...this.#options.files }, "certificate replaced");
  }

  #keepKeyPair(error: unknown): void {
    this.#options.metrics.keyPairUpdateErrors.inc({ error: codeOf(error) ?? "unknown" });
    this.#options.logger.error({ err: error, ...this.#options.files }, "certificate not replaced");
  }
}
