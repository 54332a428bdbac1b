import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { eventually } from "../../../src/testing/eventually.ts";

export interface HttpCall {
  /** The authority to ask for; the address itself when not given. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(":") + 1));
}

/**
 * One request to a port on loopback, past any proxy the environment names. On a busy machine a server may refuse its
 * pages for a moment: then it is asked again.
 */
export async function get(port: number, path: string, call: HttpCall = {}): Promise<HttpReply> {
  return await askPatiently("GET", port, path, call);
}

/** One request with any method, and its first answer. */
export async function ask(method: string, port: number, path: string, call: HttpCall = {}): Promise<HttpReply> {
  using calls = new Calls(1);
  return await calls.ask(method, port, path, call);
}

/** One request with any method. It is repeated while the server is overloaded. */
export async function askPatiently(method: string, port: number, path: string, call?: HttpCall): Promise<HttpReply> {
  const answered = async () => {
    const reply = await ask(method, port, path, call);
    return reply.status === 503 && reply.body.startsWith("the server is overloaded") ? undefined : reply;
  };
  return await eventually(`${path} is answered`, answered, { seconds: 15 });
}

/**
 * Many requests, a few at a time, counted by who answered: the `x-echo` name, else the status, else the error's code
 * when nobody did.
 */
export async function many(
  times: number,
  port: number,
  path: string,
  call: HttpCall = {},
): Promise<Map<string, number>> {
  using calls = new Calls(8);
  const answers = Array.from({ length: times }, () => calls.ask("GET", port, path, call).then(whoAnswered, codeOf));
  const counts = new Map<string, number>();
  for (const who of await Promise.all(answers)) counts.set(who, (counts.get(who) ?? 0) + 1);
  return counts;
}

/** One request for each call, a few at a time. Returns the answers in the order of the calls, or the codes of errors. */
export async function askAll(
  port: number,
  path: string,
  calls: readonly HttpCall[],
): Promise<readonly (HttpReply | string)[]> {
  using connections = new Calls(8);
  return await Promise.all(calls.map((call) => connections.ask("GET", port, path, call).catch(codeOf)));
}

/** Until traffic goes where the new configuration sends it: to the one of this name, all of it. */
export async function untilAnsweredBy(name: string, port: number, call: HttpCall): Promise<void> {
  const all = async () => (await many(20, port, "/", call)).get(name) === 20;
  await eventually(`all traffic reaches ${name}`, all, { seconds: 20 });
}

function whoAnswered({ status, headers }: HttpReply): string {
  return headers["x-echo"]?.toString() ?? String(status);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** Requests over at most so many connections, kept open between them. */
class Calls implements Disposable {
  readonly #agent: Agent;

  constructor(connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  ask(method: string, port: number, path: string, { host, headers, body }: HttpCall): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      const options = { method, host: "127.0.0.1", port, path, agent: this.#agent, timeout: 10_000 };
      const sent = request(
        { ...options, headers: { ...headers, ...(host === undefined ? {} : { host }) } },
        (response) => {
          const { statusCode = 0, headers: answered } = response;
          text(response).then((read) => resolve({ status: statusCode, headers: answered, body: read }), reject);
        },
      );
      sent.on("timeout", () => sent.destroy(new Error(`no answer from ${port}${path} in 10 s`)));
      sent.on("error", reject);
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
