import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { defaultOptions, type Options } from "../options/options.ts";
import { sourcesFrom } from "./sources.ts";

function made(url: string, more: Partial<Options> = {}) {
  return sourcesFrom({ ...defaultOptions(), sources: [url], ...more }, new FakeClock()).at(-1);
}

test.each([
  "mcp://galley:9901",
  "mcp://galley",
  "mcp://[::1]:9901",
  "mcps://galley:9901?ca=root.pem&cert=cert.pem&key=key.pem&server-name=galley.example",
  "mcp://galley:9901?incremental=off&max-message=1000000",
])("%s is a remote Galley", (url) => {
  expect(made(url)?.name).toBe(url);
});

test.each([
  ["mcp:galley:9901", "expected mcp://HOST:PORT"],
  ["mcp://", "expected mcp://HOST:PORT"],
  ["mcp://galley:99011", "expected mcp://HOST:PORT"],
  ["mcp://galley:9901?ca=root.pem", "ca= needs mcps:"],
  ["mcps://galley:9901?cert=cert.pem", "cert= and key= must be set together"],
  ["mcp://galley:9901?incremental=perhaps", "expected on or off"],
])("%s is refused: %s", (url, problem) => {
  expect(() => made(url)).toThrow(problem);
});

test("Mixer's kinds are requested from a Galley only if sinks may request them", () => {
  const rules = "k8s/config.istio.io/v1alpha2/rules";
  expect(made("mcp://galley")?.collections).not.toContain(rules);
  expect(made("mcp://galley", { mcp: "127.0.0.1:9901" })?.collections).toContain(rules);
  expect(made("mcp://galley", { mcpSink: "pilot:9901" })?.collections).toContain(rules);
});
