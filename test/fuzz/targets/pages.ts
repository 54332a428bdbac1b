import { once } from "node:events";
import { connect } from "node:net";
import { type PagePort, startPages } from "../pages-under-test.ts";
import { promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

let server: ReturnType<typeof startPages> | undefined;

/**
 * Requests for pages, on the port that the first line names. The rest is the request. Every request has an answer that
 * is no failure of the server, and no page shows the markup of a stranger.
 */
export const target: FuzzTarget = {
  name: "pages",
  mode: "async",
  words: [
    ...inheritedNames,
    "GET /debug/resources?proxyID=",
    "GET /configj/resource?group=default&collection=",
    "PUT /scopej/scope/",
    "POST /debug/force_disconnect?proxyID=",
    "Accept: text/html\r\n",
    "Host: localhost\r\n",
    "Origin: http://localhost\r\n",
    "Authorization: Bearer ",
    "Content-Length: 2\r\n\r\n{}",
    "%00",
    "<script>",
    "&type=",
    "\r\n\r\n",
  ],
  planted: {
    file: "src/admin/http-server.ts",
    before: "    const route = this.#routes.find(",
    text: "url",
  },
  check: async (input) => {
    server ??= startPages();
    const { errors, addressOf } = await server;
    const end = input.indexOf("\n");
    const port = portNamed(input.toString("latin1", 0, Math.max(end, 0)));
    const answer = await ask(addressOf(port), input.subarray(end + 1));
    const [error] = errors.splice(0);
    promise(error === undefined, () => `a page failed: ${error}`);
    promise(
      answer === "" || /^HTTP\/1\.1 [1-4]|^HTTP\/1\.1 503/u.test(answer),
      () => `an answer: ${answer.slice(0, 80)}`,
    );
    if (/^content-type: text\/html/imu.test(answer))
      promise(!answer.includes("<script"), "a page shows foreign markup");
  },
  close: async () => {
    await (await server)?.stop();
    server = undefined;
  },
};

function portNamed(text: string): PagePort {
  return text === "ctrlz" || text === "metrics" ? text : "http";
}

/** The answer of the server until it closes the connection. An empty answer if the request is not complete. */
async function ask(address: string, request: Buffer): Promise<string> {
  const [host = "", port = ""] = address.split(":");
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  socket.end(request);
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}
