import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { prometheusGate } from "./prometheus-gate.ts";

/** A server that gives this answer, as Prometheus would. Records the queries. */
async function serving(answer: string | undefined, status = 200) {
  const queries: (string | null)[] = [];
  const server = createServer((request, response) => {
    queries.push(new URL(request.url ?? "", "http://a").searchParams.get("query"));
    response.statusCode = status;
    if (answer !== undefined) response.end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, queries };
}

const vector = (...values: readonly string[]) =>
  success({ resultType: "vector", result: values.map((value) => ({ metric: {}, value: [1, value] })) });

function success(data: object): string {
  return JSON.stringify({ status: "success", data });
}

const gate = { query: 'sum(rate(errors{a="b"}[1m]))', most: 0.5 };

describe("the gate of a rollout", () => {
  test.each([
    ["opens at the limit", vector("0.5"), { type: "passed", value: 0.5 }],
    ["opens if all samples are below it", vector("0.1", "-3"), { type: "passed", value: 0.1 }],
    ["is above if one sample is", vector("0.1", "0.51"), { type: "above", value: 0.51 }],
    ["is above with infinity", vector("+Inf"), { type: "above", value: Infinity }],
    ["reads a scalar", success({ resultType: "scalar", result: [1, "0"] }), { type: "passed", value: 0 }],
    ["has no data without a sample", vector(), { type: "no data", reason: "the query gives no sample" }],
    ["has no data if a sample is no number", vector("0", "NaN"), { type: "no data", reason: "a sample is no number" }],
    [
      "has no data with a range",
      success({ resultType: "matrix", result: [] }),
      { type: "no data", reason: "the query gives neither samples nor a number" },
    ],
    [
      "has no data if Prometheus refuses the query",
      JSON.stringify({ status: "error", error: "parse error" }),
      { type: "no data", reason: "parse error" },
    ],
    ["has no data if the answer is no JSON", "<html>", { type: "no data", reason: expect.stringContaining("no JSON") }],
  ])("%s", async (_, answer, expected) => {
    const { url, queries } = await serving(answer);
    expect(await prometheusGate(url)(gate)).toEqual(expected);
    expect(queries).toEqual([gate.query]);
  });

  test("has no data if the answer is too large, comes too late or not at all", async () => {
    const { url } = await serving(vector("0".repeat(100)));
    expect(await prometheusGate(url, { answerBytes: 50 })(gate)).toMatchObject({ type: "no data" });
    const many = await serving(vector("0", "0", "0"));
    expect(await prometheusGate(many.url, { samples: 2 })(gate)).toMatchObject({ reason: "more than 2 samples" });
    const silent = await serving(undefined);
    const late = await prometheusGate(silent.url, { exchangeMs: 50 })(gate);
    expect(late).toEqual({ type: "no data", reason: "no answer within 50 ms" });
    const nobody = await prometheusGate("http://127.0.0.1:1")(gate);
    expect(nobody).toEqual({ type: "no data", reason: "Prometheus cannot be reached" });
  });
});
