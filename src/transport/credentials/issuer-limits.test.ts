import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { dripping, endless, gzipBomb, HostileHttp, jsonAnswer } from "../../testing/server/hostile-http.ts";
import { fetchIssuerKeys, fetchJson } from "./fetch-keys.ts";
import { readKeySet } from "./key-set.ts";
import { RemoteKeys } from "./remote-keys.ts";

const megabyte = 1 << 20;

let issuer: HostileHttp;
let url: string;

beforeEach(async () => {
  issuer = await HostileHttp.start();
  url = `http://${issuer.address}`;
});

afterEach(() => issuer[Symbol.asyncDispose]());

test.each([
  ["without an end", endless('{"keys":[')],
  ["that decompresses to too much", gzipBomb(8 * megabyte)],
])("an answer %s is cut off", async (_what, answer) => {
  issuer.answer = answer;
  const asked = fetchJson(`${url}/keys`, { answerBytes: 100_000 });
  await expect(asked).rejects.toThrow(`the answer of ${url}/keys exceeds the limit of 100000 bytes`);
  expect(issuer.taken).toBeLessThan(16 * megabyte);
});

test("an endless configuration is cut off as well", async () => {
  issuer.answer = endless(" ");
  const asked = fetchIssuerKeys(url, { answerBytes: 100_000 });
  await expect(asked).rejects.toThrow("openid-configuration exceeds the limit of 100000 bytes");
});

test("an answer with more values than the limit is not parsed", async () => {
  issuer.answer = jsonAnswer({ keys: Array.from({ length: 100 }, () => ({})) });
  await expect(fetchJson(url, { answerValues: 100 })).rejects.toThrow("exceeds the limit of 100 values: 202 came");
});

test("an answer that arrives too slowly is given up at its time-out", async () => {
  issuer.answer = dripping(5);
  await expect(fetchJson(url, { exchangeMs: 50 })).rejects.toThrow(`${url} has not answered within 50 ms`);
  await expect.poll(() => issuer.connections).toBe(0);
});

test("a set with more keys than the limit is refused, and the last good set stays in use", async () => {
  expect(() => readKeySet({ keys: [{}, {}, {}] }, 2)).toThrow("the key set exceeds the limit of 2 keys: 3 came");
  const few = { keys: [{ kty: "oct", kid: "a" }] };
  const many = { keys: Array.from({ length: 1001 }, () => ({ kty: "oct" })) };
  const answers: unknown[] = [few, many];
  const errors: string[] = [];
  const clock = new FakeClock();
  const fetch = () => Promise.resolve(answers.shift());
  const keys = new RemoteKeys({ fetch, clock, onError: (error) => errors.push(String(error)) });
  await keys.start();
  clock.advance(20 * 60_000);
  await keys.idle();
  expect(errors).toEqual(["MeshError: the key set exceeds the limit of 1000 keys: 1001 came"]);
  await keys.stop();
});
