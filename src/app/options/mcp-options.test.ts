import { expect, test } from "vitest";
import { readOptions } from "./read-options.ts";

function read(env: Readonly<Record<string, string>>) {
  return readOptions({ arguments: [], env, readFile: () => "" });
}

test("the limits of MCP have the names that Galley gave them", () => {
  const env = {
    MCP_SOURCE_REQ_FREQ: "1s",
    MCP_SOURCE_REQ_BURST_SIZE: "100",
    SOURCE_SERVER_STREAM_FREQ: "500ms",
    SOURCE_SERVER_STREAM_BURST_SIZE: "7",
  };
  expect(read(env)).toMatchObject({
    mcpRequestIntervalMs: 1000,
    mcpRequestBurst: 100,
    mcpStreamIntervalMs: 500,
    mcpStreamBurst: 7,
  });
});

test("fifty requests and streams a second are allowed, and all collections at once", () => {
  const { mcpRequestIntervalMs, mcpRequestBurst, mcpStreamIntervalMs } = read({});
  expect([1000 / mcpRequestIntervalMs, 1000 / mcpStreamIntervalMs]).toEqual([50, 50]);
  expect(mcpRequestBurst).toBe(500);
});

test("configuration is debounced for 100 ms, and for at most one second", () => {
  expect(read({})).toMatchObject({ mcp: "off", mcpDebounceAfterMs: 100, mcpDebounceMaxMs: 1000 });
});
