import { createServer, type ServerResponse } from "node:http";
import { listenLocally } from "../../../../src/testing/server/listen-locally.ts";

/** An upstream that tells what reached it: JSON `{name, method, path, host, headers}`, and `x-echo: NAME`. */
export interface Echo extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  /** How many requests have reached it. */
  readonly requests: number;
  stop(): Promise<void>;
}

export interface EchoOptions {
  /** The status of the answer to the n-th request, counted from 1; undefined leaves it without an answer. */
  readonly status?: (request: number) => number | undefined;
  /** Keeps idle connections open. By default an Envoy may use one at the moment at which it is closed. */
  readonly keepsIdle?: boolean;
}

export async function startEcho(name: string, options: EchoOptions = {}): Promise<Echo> {
  const { status = () => 200, keepsIdle = false } = options;
  let requests = 0;
  const unanswered: ServerResponse[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    requests++;
    const code = status(requests);
    if (code === undefined) {
      unanswered.push(response);
      return;
    }
    response.writeHead(code, { "content-type": "application/json", "x-echo": name });
    response.end(JSON.stringify({ name, method, path: url, host: headers.host, headers }));
  });
  if (keepsIdle) server.keepAliveTimeout = 0;
  const port = await listenLocally(server);
  const stop = async () => {
    for (const response of unanswered) response.destroy();
    await server[Symbol.asyncDispose]();
  };
  return {
    name,
    port,
    get requests() {
      return requests;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
