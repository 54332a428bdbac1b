import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** Answers a request of a fake API server with JSON. */
export function reply(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Answers a request for a Lease: there is none yet, and every write succeeds. */
export async function grantLease(response: ServerResponse, request: IncomingMessage): Promise<void> {
  const body = await text(request);
  if (request.method === "GET") reply(response, 404, { kind: "Status", code: 404 });
  else reply(response, 201, JSON.parse(body));
}
