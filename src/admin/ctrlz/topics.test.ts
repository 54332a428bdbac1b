import { describe, expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import { Metrics } from "../metrics/metrics.ts";
import type { Route } from "../route.ts";
import { collectionsTopic } from "./collections.ts";
import { metricsTopic } from "./metrics-topic.ts";
import { processTopics } from "./process-topics.ts";
import { ctrlzRoutes } from "./routes.ts";
import { type AdjustableScopes, scopesTopic } from "./scopes.ts";
import type { Topic } from "./topic.ts";

const hostile = `<script>"'&`;

function routeOf(routes: readonly Route[], path: string): Route {
  const found = routes.find((route) => route.path === path);
  if (found === undefined) throw new Error(`no ${path} in ${routes.map((route) => route.path).join(" ")}`);
  return found;
}

async function get(topic: Topic, path: string, query = "") {
  const { status, contentType, body } = await routeOf(ctrlzRoutes({ topics: [topic], more: [] }), path).answer(
    new URLSearchParams(query),
  );
  return { status, contentType, body };
}

async function change(topic: Topic, path: string, body: string) {
  const route = routeOf(ctrlzRoutes({ topics: [topic], more: [] }), path);
  return { method: route.change?.method, answer: await route.change?.apply(body) };
}

/** Two scopes that record their changes. */
function scopes(): AdjustableScopes & { readonly told: unknown[] } {
  const told: unknown[] = [];
  return {
    told,
    levels: ["debug", "info"],
    list: () => ["xds", "source"].map((name) => ({ name, doc: `about ${hostile}`, level: "info" })),
    adjust(scope, level) {
      told.push([scope, level]);
      return level === "loud" ? "expected one of debug, info" : undefined;
    },
  };
}

describe("the index", () => {
  test("links to every topic, for people and for programs, and to the other pages", async () => {
    const other: Route = { path: "/other", doc: hostile, answer: () => ({ status: 200, contentType: "", body: "" }) };
    const topics = [scopesTopic(scopes()), ...processTopics({ argv: [], env: {} }, "1.2.3")];
    const { body } = await routeOf(ctrlzRoutes({ topics, more: [other] }), "/").answer(new URLSearchParams());
    for (const prefix of ["scope", "mem", "env", "proc", "arg", "version"]) {
      expect(body).toContain(`<a href="/${prefix}z/">`);
      expect(body).toContain(`<a href="/${prefix}j/">JSON</a>`);
    }
    expect(body).toContain('<a href="/other">/other</a>: &lt;script&gt;');
    expect(body).not.toContain("<script");
  });
});

describe("log scopes", () => {
  test("are listed in Istio's format", async () => {
    const info = { name: "xds", description: `about ${hostile}`, output_level: "info" };
    expect(JSON.parse((await get(scopesTopic(scopes()), "/scopej/")).body)).toContainEqual(info);
    expect(JSON.parse((await get(scopesTopic(scopes()), "/scopej/xds")).body)).toEqual(info);
  });

  test("are changed by PUT", async () => {
    const known = scopes();
    const { method, answer } = await change(scopesTopic(known), "/scopej/xds", '{"output_level": "debug"}');
    expect([method, answer?.status]).toEqual(["PUT", 202]);
    expect(known.told).toEqual([["xds", "debug"]]);
  });

  test.each(['{"output_level": "loud"}'])("report the error of %s", async (body) => {
    const { answer } = await change(scopesTopic(scopes()), "/scopej/xds", body);
    expect(answer).toMatchObject({ status: 400, body: "expected one of debug, info\n" });
  });

  test.each(["", "{", "null", "[]", "{}"])("refuse %j as a level", async (body) => {
    const known = scopes();
    await change(scopesTopic(known), "/scopej/xds", body);
    expect(known.told).toEqual([["xds", undefined]]);
  });

  test("are changed by a form that needs no script, and shown again", async () => {
    const known = scopes();
    const { body } = await get(scopesTopic(known), "/scopez/");
    expect(body).toMatch(/<form method="post">\s*<input type="hidden" name="scope" value="xds">\s*<label>/u);
    expect(body).toContain("<option>debug</option>\n<option selected>info</option>");
    const { method, answer } = await change(scopesTopic(known), "/scopez/", "scope=xds&level=debug");
    expect([method, answer?.status, answer?.headers]).toEqual(["POST", 303, { location: "/scopez/" }]);
    expect(known.told).toEqual([["xds", "debug"]]);
  });
});

describe("the process", () => {
  const shown = { argv: ["node", hostile, "--token", "abc"], env: { B: hostile, A_TOKEN: "hunter2", A: "1" } };

  test("shows its environment in order and without secrets", async () => {
    const [, env] = processTopics(shown, "1.2.3");
    if (env === undefined) throw new Error("there is an environment");
    expect(JSON.parse((await get(env, "/envj/")).body)).toEqual({ A: "1", A_TOKEN: "•••", B: hostile });
    const { body, contentType } = await get(env, "/envz/");
    expect(contentType).toBe("text/html; charset=utf-8");
    expect(body).toContain("&lt;script&gt;");
    expect(body).not.toMatch(/hunter2|<script/u);
  });

  test.each([
    ["mem", { heapUsed: expect.any(Number), rss: expect.any(Number), heap_size_limit: expect.any(Number) }],
    ["proc", { pid: process.pid, uptimeSeconds: expect.any(Number) }],
    ["version", { name: "binnacle", version: "1.2.3", node: process.versions.node }],
  ])("has a %s page", async (prefix, facts) => {
    const topic = processTopics(shown, "1.2.3").find((each) => each.prefix === prefix);
    if (topic === undefined) throw new Error(`no ${prefix}`);
    expect(JSON.parse((await get(topic, `/${prefix}j/`)).body)).toMatchObject(facts);
    expect((await get(topic, `/${prefix}z/`)).body).toContain("<table>");
  });

  test("shows its arguments without secrets", async () => {
    const topic = processTopics(shown, "").find(({ prefix }) => prefix === "arg");
    if (topic === undefined) throw new Error("no arguments");
    expect(JSON.parse((await get(topic, "/argj/")).body)).toEqual(["node", hostile, "--token", "•••"]);
    expect((await get(topic, "/argz/")).body).not.toContain("<script");
  });
});

describe("collections and metrics", () => {
  test("collections show their content and their inputs, graph by graph", async () => {
    const graph = new Graph();
    const input = graph.input<number>(`${hostile} numbers`);
    graph.derive({
      name: "doubled",
      from: input,
      key: String,
      *to(value: number) {
        yield value * 2;
      },
    });
    const topic = collectionsTopic(new Map([["galley", graph]]));
    expect(JSON.parse((await get(topic, "/collectionj/")).body)).toEqual({ galley: graph.describe() });
    const { body } = await get(topic, "/collectionz/");
    expect(body).toContain("<h2>galley</h2>");
    expect(body).toContain('<th scope="row">doubled</th>');
    expect(body).not.toContain("<script");
  });

  test("metrics are the same as for Prometheus", async () => {
    const metrics = new Metrics();
    metrics.counter("shop_orders", "Orders.").inc(3);
    const topic = metricsTopic(metrics);
    expect(JSON.parse((await get(topic, "/metricj/")).body)).toContainEqual(
      expect.objectContaining({ name: "shop_orders", values: [{ labels: {}, value: 3 }] }),
    );
    expect((await get(topic, "/metricz/")).body).toContain("shop_orders 3");
  });
});
