import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import type { Admission } from "../../config/admission/admit-review.ts";
import type { JudgeOptions } from "../../config/admission/judge.ts";
import { codeOf, errorFrom, MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ReportFailure, SupervisedClock } from "../../lib/supervisor.ts";
import { listen } from "../../transport/listen.ts";
import { type ListenAddress, parseAddress } from "../../transport/listen-address.ts";
import { type KeyPairFiles, type KeyPairOptions, keyPair } from "../../transport/tls/key-pair.ts";
import type { StartedFiles } from "../../transport/tls/or-bad-option.ts";
import type { TlsIssuer } from "../../transport/tls/secure-server.ts";
import { type PageAnswer, text } from "../route.ts";
import type { InjectOptions } from "./inject-route.ts";
import { answerCall } from "./review-route.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

/** How long answers may take to leave at a shutdown. */
const graceMs = 2_000;

/** Time limit from the first byte of a request to its last. Kubernetes itself waits ten seconds by default. */
const requestMs = 10_000;

const timeouts = {
  handshakeTimeout: 5_000,
  connectionsCheckingInterval: 500,
  /** Longer than Kubernetes keeps an idle connection. If the server closed first, a request might be lost. */
  keepAliveTimeout: 120_000,
};

export interface WebhookServerOptions extends Pick<JudgeOptions, "unknownFields"> {
  /** `HOST:PORT`, `:PORT` or `off`; port 0 lets the system choose. */
  readonly address: string;
  /** The certificate and its key: in files, or issued by an authority of this process. */
  readonly certificate: WebhookCertificate;
  readonly openWatch: KeyPairOptions["openWatch"];
  readonly clock: SupervisedClock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  /** The mutating webhook, at the same address; absent if it is off. */
  readonly inject?: InjectOptions;
  /** Gets each new certificate of the server, PEM. */
  readonly onCertificate?: (pem: string) => void;
  /** Reports every error, for the log. */
  readonly onFailure: ReportFailure;
  /** How long a request may take to arrive. Only tests set it lower. */
  readonly requestTimeoutMs?: number;
}

export type WebhookCertificate = { readonly files: KeyPairFiles } | { readonly issuer: TlsIssuer };

/** The admission webhooks: reject invalid objects and add proxies to pods, for Kubernetes, over HTTPS. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #address: ListenAddress;
  readonly #server: Server;
  readonly #keyPair: StartedFiles;
  #started: Promise<string> | undefined;

  /** Throws `bad-option` for an invalid address. */
  constructor(options: WebhookServerOptions) {
    const { address, requestTimeoutMs = requestMs } = options;
    const parsed = parseAddress(address);
    if (parsed === undefined) throw new MeshError("bad-option", `${address} is not an address like :9443`);
    this.#address = parsed;
    this.#options = options;
    const settings = { ...timeouts, requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs };
    this.#server = createServer(settings, (request, response) => void this.#serve(request, response));
    this.#server.on("clientError", (error, socket) => this.#attempt(() => this.#refuse(error, socket)));
    this.#keyPair = this.#openKeyPair(options);
  }

  #openKeyPair({ certificate, openWatch, clock, onCertificate }: WebhookServerOptions): StartedFiles {
    const use = (context: SecureContextOptions) => {
      this.#server.setSecureContext(context);
      this.#attempt(() => onCertificate?.(String(context.cert)));
      this.#attempt(() => this.#tellOfKeyPair());
    };
    if ("files" in certificate) {
      const onError = (error: unknown) => this.#attempt(() => this.#keepKeyPair(error));
      return keyPair({ files: certificate.files, openWatch, clock, use, onError });
    }
    const { issuer } = certificate;
    return {
      start: () => issuer.start(({ pair }) => use({ ...pair, minVersion: "TLSv1.2" })),
      stop: async () => await issuer.stop(),
    };
  }

  /** The files of the certificate, for the log. */
  get #files(): Partial<KeyPairFiles> {
    const { certificate } = this.#options;
    return "files" in certificate ? certificate.files : {};
  }

  /** Resolves with the bound address, or `off`. Rejects with `listen-failed`, or `bad-option` without a usable pair. */
  start(): Promise<string> {
    this.#started = this.#start();
    return this.#started;
  }

  /** Accepts no more requests, and answers the open ones. May be called during the start. */
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

  /** No caller catches errors here: a throw would end the process. */
  #attempt(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#options.onFailure(thrown);
    }
  }

  /** Handles input that never became a request: it was not HTTP, or was too slow. */
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
      // This promise is not awaited: a rejection would end the process.
      this.#options.onFailure(thrown, { path: request.url });
      response.destroy();
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request);
    if (answer === undefined) return;
    const { status, contentType, body } = answer;
    if (status >= 400) this.#options.metrics.httpErrors.inc({ status });
    // A connection with an unread rest of a request is useless, and so is one to a stopping server.
    const close = !request.complete || !this.#server.listening;
    response.writeHead(status, { "content-type": contentType, ...(close && { connection: "close" }) });
    response.end(body);
  }

  /** Undefined when the client is gone. */
  async #answer(request: IncomingMessage): Promise<PageAnswer | undefined> {
    const { unknownFields, inject } = this.#options;
    const onAdmission = (admission: Admission) => this.#record(admission);
    try {
      return await answerCall(request, { unknownFields, onAdmission, ...(inject && { inject }) });
    } catch (thrown) {
      if (!request.complete) return undefined;
      this.#options.onFailure(thrown, { path: request.url });
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

  #tellOfKeyPair(): void {
    if (!this.#server.listening) return;
    this.#options.metrics.keyPairUpdates.inc();
    this.#options.logger.info({ ...this.#files }, "certificate replaced");
  }

  #keepKeyPair(error: unknown): void {
    this.#options.metrics.keyPairUpdateErrors.inc({ error: codeOf(error) ?? "unknown" });
    this.#options.logger.error({ err: error, ...this.#files }, "certificate not replaced");
  }
}
