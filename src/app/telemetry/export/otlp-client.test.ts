import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { listenLocally } from "../../../testing/server/listen-locally.ts";
import { postOtlp } from "./otlp-client.ts";

/** Pretends that all bytes of an answer are rejected items. */
const readAnswer = (bytes: Uint8Array) => ({ rejected: bytes.length, reason: "read" });

/** Sends one request to a collector that answers like this. */
async function post(answer: (request: IncomingMessage, response: ServerResponse) => void, timeoutMs = 5_000) {
  const server = createServer((request, response) => {
    answer(request, response);
  });
  const port = await listenLocally(server);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const options = {
    endpoint: `http://127.0.0.1:${port}/base/`,
    headers: { "api-key": "secret" },
    timeoutMs,
    maxAnswerBytes: 100,
  };
  return await postOtlp(
    { signal: "traces", body: new Uint8Array([7]), readAnswer },
    options,
    new AbortController().signal,
  );
}

test("a request has the path of its signal, the headers of the user and the content type of protobuf", async () => {
  const seen = Promise.withResolvers<unknown>();
  const outcome = await post((request, response) => {
    const { url, method, headers } = request;
    const finish = async () => {
      const body = await buffer(request);
      seen.resolve([method, url, headers["api-key"], headers["content-type"], [...body]]);
      response.end();
    };
    finish().catch(seen.reject);
  });
  expect(await seen.promise).toEqual(["POST", "/base/v1/traces", "secret", "application/x-protobuf", [7]]);
  expect(outcome).toEqual({ type: "accepted", rejected: 0, reason: "" });
});

test("the answer of a collector tells how many items it rejected", async () => {
  const outcome = await post((_, response) => {
    response.setHeader("content-type", "application/x-protobuf").end("abc");
  });
  expect(outcome).toEqual({ type: "accepted", rejected: 3, reason: "read" });
});

test.each([
  [429, { type: "unavailable", afterMs: 7_000 }],
  [503, { type: "unavailable", afterMs: 7_000 }],
  [400, { type: "refused" }],
  [401, { type: "refused" }],
])("status %i is %j", async (status, expected) => {
  const outcome = await post((_, response) => void response.writeHead(status, { "retry-after": "7" }).end());
  expect(outcome).toEqual({ ...expected, reason: `the collector answered ${status}` });
});

test("a collector that redirects, says too much or does not answer is unavailable", async () => {
  const redirected = await post((_, response) => void response.writeHead(307, { location: "/elsewhere" }).end());
  expect(redirected.type).toBe("unavailable");
  const long = await post((_, response) => void response.end("x".repeat(200)));
  expect(long).toMatchObject({ type: "unavailable", reason: expect.stringContaining("exceeds the limit of 100") });
  const silent = await post(() => undefined, 20);
  expect(silent).toMatchObject({ type: "unavailable", reason: "the collector has not answered within 20 ms" });
});
