import { expect, test } from "vitest";
import type { CloseReason } from "./grpc-stream.ts";
import { whyClosed } from "./why-closed.ts";

function broken(message: string, code?: string): CloseReason {
  return { type: "broken", cause: Object.assign(new Error(message), code !== undefined && { code }) };
}

test.each<readonly [CloseReason, string]>([
  [{ type: "client" }, "we ended the stream"],
  [{ type: "server" }, "we ended the stream"],
  [{ type: "server", status: { code: 0, message: "OK" } }, "it ended the stream: OK"],
  [
    { type: "server", status: { code: 16, message: "show a certificate" } },
    "it ended the stream: UNAUTHENTICATED, show a certificate",
  ],
  [{ type: "server", status: { code: 11, message: "" } }, "it ended the stream: status 11"],
  [broken("connect ECONNREFUSED 127.0.0.1:9901", "ECONNREFUSED"), "nobody listens there"],
  [broken("no answer to a ping within 10000 ms"), "no answer to a ping within 10000 ms"],
])("%j reads %s", (reason, words) => {
  expect(whyClosed(reason)).toBe(words);
});
