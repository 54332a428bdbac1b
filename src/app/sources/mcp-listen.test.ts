import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { defaultOptions } from "../options/options.ts";
import { sourcesFrom } from "./sources.ts";

function made(url: string) {
  return sourcesFrom({ ...defaultOptions(), sources: [url] }, new FakeClock()).at(-1);
}

test.each([
  "mcp+listen://127.0.0.1:9902",
  "mcp+listen://:9902?incremental=off&max-message=1000000",
  "mcp+listen://:9902?galley=istio-1.3",
  "mcps+listen://[::1]:9902?ca=root.pem&cert=cert.pem&key=key.pem",
  "mcps+listen://:9902?ca=root.pem&cert=cert.pem&key=key.pem&access-list=list.yaml",
])("%s is a Galley that calls us", (url) => {
  expect(made(url)?.name).toBe(url);
});

test.each([
  ["mcp+listen:9902", "expected mcp+listen://HOST:PORT"],
  ["mcp+listen://127.0.0.1", "expected mcp+listen://HOST:PORT"],
  ["mcp+listen://off", "expected mcp+listen://HOST:PORT"],
  ["mcp+listen://:9902?access-list=list.yaml", "access-list= needs mcps+listen:"],
  ["mcp+listen://:9902?galley=istio-1.9", "expected one of istio-1.3, istio-1.5"],
  ["mcps+listen://:9902?ca=root.pem", "ca=, cert= and key= must be set"],
  ["mcps+listen://:9902?server-name=galley", "unknown setting server-name"],
])("%s is refused: %s", (url, problem) => {
  expect(() => made(url)).toThrow(problem);
});
