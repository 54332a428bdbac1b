import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An upstream that tells what reached it: JSON `{name, method, path, host, headers}`, and `x-echo: NAME`. */
export interface Echo extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  stop(): Promise<void>;
}

export async function startEcho(name: string): Promise<Echo> {
  const server = createServer(({ method, url, headers }, response) => {
    response.writeHead(200, { "content-type": "application/json", "x-echo": name });
    response.end(JSON.stringify({ name, method, path: url, host: headers.host, headers }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    name,
    port,
    stop: () => server[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
