import { Agent, request } from "node:http";
import type { CallResult } from "../observed/calls.ts";
import type { ReviewsCaller } from "./caller.ts";
import type { Envoy } from "./demo-envoy.ts";
import { nameHeader } from "./workloads.ts";

/** Long enough for a busy machine, short enough to see that nobody answers. */
const timeoutMs = 3_000;

export interface HttpCallerOptions {
  /** Takes the requests. It is the caller's own, and ends with it. */
  readonly envoy: Envoy;
  /** Where it listens, on loopback. */
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Plain HTTP requests through an Envoy, over one connection. */
export class HttpCaller implements ReviewsCaller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #options: HttpCallerOptions;

  constructor(options: HttpCallerOptions) {
    this.#options = options;
  }

  async call(calls: number): Promise<readonly CallResult[]> {
    const { envoy } = this.#options;
    const answers: CallResult[] = [];
    while (answers.length < calls) {
      if (envoy.complaint !== undefined) throw envoy.complaint;
      answers.push(await this.#get());
    }
    return answers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    await this.#options.envoy[Symbol.asyncDispose]();
  }

  #get(): Promise<CallResult> {
    const { port, headers } = this.#options;
    const { promise, resolve } = Promise.withResolvers<CallResult>();
    const sent = request({ host: "127.0.0.1", port, headers, agent: this.#agent, timeout: timeoutMs }, (response) => {
      const by = response.headers[nameHeader];
      const refused: CallResult = { type: "failed", reason: `HTTP ${response.statusCode ?? "?"}` };
      const answer: CallResult = typeof by === "string" ? { type: "answered", by } : refused;
      response.resume().once("end", () => resolve(answer));
    });
    sent.once("timeout", () => sent.destroy(Object.assign(new Error("no answer in time"), { code: "TIMEOUT" })));
    sent.once("error", (error: NodeJS.ErrnoException) => {
      resolve({ type: "failed", reason: error.code ?? error.message });
    });
    sent.end();
    return promise;
  }
}
