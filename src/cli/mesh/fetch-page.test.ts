import { afterEach, beforeEach, expect, test } from "vitest";
import { dripping, endless, gzipBomb, HostileHttp, jsonAnswer } from "../../testing/server/hostile-http.ts";
import { fetchPage } from "./fetch-page.ts";

const megabyte = 1 << 20;

let server: HostileHttp;

beforeEach(async () => {
  server = await HostileHttp.start();
});

afterEach(() => server[Symbol.asyncDispose]());

test.each([
  ["without an end", endless("[")],
  ["that decompresses to too much", gzipBomb(8 * megabyte)],
])("the client stops reading a page %s", async (_what, answer) => {
  server.answer = answer;
  await expect(fetchPage(server.address, "/debug/syncz", { answerBytes: 100_000 })).rejects.toMatchObject({
    code: "limit-exceeded",
    message: expect.stringContaining(`--server ${server.address}: the page exceeds the limit of 100000 bytes`),
  });
  expect(server.taken).toBeLessThan(16 * megabyte);
});

test("the client stops reading an endless error body", async () => {
  server.answer = (response, request) => endless("no")(response.writeHead(500), request);
  const asked = fetchPage(server.address, "/debug/syncz", { refusalBytes: 100_000 });
  await expect(asked).rejects.toThrow("the page exceeds the limit of 100000 bytes");
});

test("a page of more values than the limit is not parsed", async () => {
  server.answer = jsonAnswer(Array.from({ length: 100 }, () => []));
  const asked = fetchPage(server.address, "/debug/syncz", { answerValues: 100 });
  await expect(asked).rejects.toThrow("exceeds the limit of 100 values: 201 came");
});

test("a page that arrives too slowly ends with a timeout", async () => {
  server.answer = dripping(5);
  const asked = fetchPage(server.address, "/debug/syncz", { exchangeMs: 50 });
  await expect(asked).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("timeout") });
});

test.each([
  ["without more", "no such proxy\n"],
  ["without its list of pages", "no such proxy\n\n/ready  readiness\n/healthz  liveness\n"],
])("a missing page is reported with the server's message, %s", async (_what, body) => {
  server.answer = (response) => response.writeHead(404).end(body);
  const asked = fetchPage(server.address, "/debug/syncz");
  await expect(asked).rejects.toMatchObject({ code: "not-found", message: "no such proxy" });
});
