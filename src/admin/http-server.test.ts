import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { HttpServer } from "./http-server.ts";
import { json, type Route, text } from "./route.ts";
import type { ViewerRules } from "./viewer.ts";

const routes: readonly Route[] = [
  { path: "/greeting", doc: "says hello; ?name=", answer: (query) => text(`hello ${query.get("name")}`) },
  { path: "/data", doc: "an object", answer: () => json({ a: 1 }) },
  {
    path: "/level/",
    doc: "a setting",
    answer: () => text("info"),
    change: { method: "PUT", apply: (body) => text(`set to ${body}`, 202) },
  },
  {
    path: "/probe",
    doc: "for anybody",
    open: true,
    answer: () => text("alive"),
  },
  {
    path: "/proxies",
    doc: "what workloads may see of their own",
    answer: () => text("all"),
    answerWithin: (namespace) => text(`those of ${namespace}`),
  },
  {
    path: "/bug",
    doc: "fails",
    answer: () => {
      throw new Error("broken page");
    },
  },
];

async function start(address = "127.0.0.1:0", viewers?: ViewerRules, requestTimeoutMs = 10_000) {
  const logger = new RecordingLogger();
  const failures: unknown[] = [];
  const onFailure = (error: unknown, facts?: object) => void failures.push({ error, ...facts });
  const server = new HttpServer({ address, routes, logger, onFailure, requestTimeoutMs, ...(viewers && { viewers }) });
  const bound = await server.start();
  onTestFinished(() => server.stop());
  return { server, bound, logger, failures };
}

/** Sends this on its own connection, then a byte now and then. Resolves when the server closes the connection. */
async function drip(begin: string): Promise<"hung up"> {
  const { bound } = await start(undefined, undefined, 100);
  const socket = connect(Number(bound.split(":")[1]), "127.0.0.1");
  // The connection may be reset with an unread answer, because one more byte is always in flight.
  socket.on("error", () => {});
  socket.resume();
  socket.write(begin);
  const dripping = setInterval(() => socket.write("a"), 10);
  onTestFinished(() => {
    clearInterval(dripping);
    socket.destroy();
  });
  return await new Promise((resolve) => socket.once("close", () => resolve("hung up")));
}

describe("a request that exceeds a limit", () => {
  test.each([
    ["headers", "GET /data HTTP/1.1\r\nhost: localhost\r\n"],
    ["body", "PUT /level/ HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n"],
  ])("of time, by slow %s, is closed", async (_what, begin) => {
    expect(await drip(begin)).toBe("hung up");
  });

  test.each([
    ["bytes of headers", { "x-large": "a".repeat(20_000) }],
    ["number of headers", Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`x${index}`, "a"]))],
  ])("of %s is refused", async (_what, headers) => {
    const { bound } = await start();
    const answer = await fetch(`http://${bound}/data`, { headers });
    expect(answer.status).toBe(431);
  });

  test("of bytes, without a content length, is cut off", async () => {
    const { bound } = await start();
    const sent = httpRequest(`http://${bound}/level/`, { method: "PUT" });
    sent.on("error", () => {});
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    for (let count = 0; count < 20; count += 1) sent.write("a".repeat(8192));
    const [answer] = await answered;
    expect(answer.statusCode).toBe(413);
    sent.destroy();
  });
});

describe("an HTTP server of routes", () => {
  test("answers by path and query", async () => {
    const { bound } = await start();
    const greeting = await fetch(`http://${bound}/greeting?name=reviews`);
    expect([greeting.status, await greeting.text()]).toEqual([200, "hello reviews\n"]);
    const data = await fetch(`http://${bound}/data`);
    expect([data.headers.get("content-type"), await data.json()]).toEqual(["application/json", { a: 1 }]);
  });

  test("lists its pages for an unknown path", async () => {
    const { bound } = await start();
    const answer = await fetch(`http://${bound}/nope`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("/greeting  says hello; ?name=\n/data      an object\n");
  });

  test("accepts only GET, and the methods that a page declares", async () => {
    const { bound } = await start();
    expect((await fetch(`http://${bound}/data`, { method: "POST" })).status).toBe(405);
    expect((await fetch(`http://${bound}/level`, { method: "POST" })).status).toBe(405);
    const put = await fetch(`http://${bound}/level`, { method: "PUT", body: "debug" });
    expect([put.status, await put.text()]).toEqual([202, "set to debug\n"]);
  });

  test("reads a body only up to the limit", async () => {
    const { bound } = await start();
    const tooLong = "a".repeat(64 * 1024 + 1);
    expect((await fetch(`http://${bound}/level/`, { method: "PUT", body: tooLong })).status).toBe(413);
  });

  test("sets headers against sniffing, framing and scripts", async () => {
    const { bound } = await start();
    const { headers } = await fetch(`http://${bound}/data`);
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none';.* frame-ancestors 'none'/u);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("refuses requests from other sites", async () => {
    const { bound } = await start();
    const asOther = { headers: { origin: "http://evil.example" } };
    expect((await fetch(`http://${bound}/level`, { method: "PUT", body: "debug", ...asOther })).status).toBe(403);
    expect((await fetch(`http://${bound}/data`, asOther)).status).toBe(403);
  });

  test("survives a page that fails, which is reported once, and an invalid path", async () => {
    const { bound, logger, failures } = await start();
    expect((await fetch(`http://${bound}/bug`)).status).toBe(500);
    expect(failures).toEqual([{ error: new Error("broken page"), path: "/bug" }]);
    expect(logger.messages("error")).toEqual([]);
    const [host, port] = bound.split(":");
    const socket = connect(Number(port), host).end("GET //[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(await readAll(socket)).toContain("HTTP/1.1 404");
  });

  test("reports an address in use in a sentence", async () => {
    const { bound } = await start();
    const second = new HttpServer({ address: bound, routes, logger: new RecordingLogger(), onFailure: () => {} });
    await expect(second.start()).rejects.toMatchObject({
      code: "listen-failed",
      message: `${bound} is already in use`,
    });
  });

  test("may be off, and refuses an invalid address", async () => {
    expect((await start("off")).bound).toBe("off");
    await expect(start("nowhere")).rejects.toMatchObject({ code: "bad-option" });
  });
});

/** Accepts every token as the name of its bearer's namespace. */
const believing: ViewerRules = {
  systemNamespaces: () => ["istio-system"],
  async authenticate({ headers: { authorization } }) {
    const namespace = authorization?.replace("Bearer ", "");
    if (namespace === undefined) return { type: "refused", reasons: ["none was sent"] };
    const id = namespace === "nobody" ? "spiffe://mesh/x" : `spiffe://mesh/ns/${namespace}/sa/a`;
    return { type: "identified", identities: [id] };
  },
};

/** Sends a request like a remote client: the name in the request is not local. */
async function ask(bound: string, path: string, { method = "GET", ...headers }: Record<string, string> = {}) {
  const [, port] = bound.split(/:(?=\d+$)/u);
  const request = httpRequest({ port, path, method, headers: { host: "binnacle.example", ...headers } }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await readAll(response) };
}

/** A loopback address that does not look like one, so that the server considers itself open to the network. */
const network = "127.1:0";

describe("an HTTP server that is open to the network", () => {
  test("shows unauthenticated clients only open pages", async () => {
    const { bound, logger } = await start(network, believing);
    expect(await ask(bound, "/probe")).toMatchObject({ status: 200, body: "alive\n" });
    for (const path of ["/data", "/proxies", "/level"]) {
      const { status, headers } = await ask(bound, path);
      expect([status, headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    }
    expect((await ask(bound, "/level", { method: "PUT" })).status).toBe(401);
    expect((await ask(bound, "/data", { authorization: "Bearer nobody" })).status).toBe(403);
    expect(logger.messages("warn")).toHaveLength(5);
  });

  test("shows operators everything, and lets them make changes", async () => {
    const { bound } = await start(network, believing);
    const authorization = "Bearer istio-system";
    expect(await ask(bound, "/proxies", { authorization })).toMatchObject({ status: 200, body: "all\n" });
    expect((await ask(bound, "/level", { authorization, method: "PUT" })).status).toBe(202);
  });

  test("shows a workload its own namespace, and lets it change nothing", async () => {
    const { bound } = await start(network, believing);
    const authorization = "Bearer shop";
    expect(await ask(bound, "/proxies", { authorization })).toMatchObject({ status: 200, body: "those of shop\n" });
    expect((await ask(bound, "/data", { authorization })).status).toBe(403);
    expect((await ask(bound, "/level", { authorization, method: "PUT" })).status).toBe(403);
  });

  test("shows local clients everything, unless a page of another site may be behind the request", async () => {
    const { bound } = await start(network, believing);
    expect(await ask(bound, "/proxies", { host: "localhost" })).toMatchObject({ status: 200, body: "all\n" });
    expect((await ask(bound, "/proxies", { host: "rebound.example" })).status).toBe(401);
    expect((await ask(bound, "/proxies", { host: "localhost", origin: "http://evil.example" })).status).toBe(403);
    expect((await ask(bound, "/proxies", { host: "localhost", "x-forwarded-for": "10.0.0.9" })).status).toBe(401);
  });

  test("without viewer rules identifies no remote client", async () => {
    const { bound } = await start(network);
    expect((await ask(bound, "/data", { authorization: "Bearer istio-system" })).status).toBe(401);
    expect((await ask(bound, "/data", { host: "localhost" })).status).toBe(200);
  });

  test("sends no header that lets other sites read its answers", async () => {
    const { bound } = await start(network, believing);
    const { headers } = await ask(bound, "/probe", { "sec-fetch-site": "none" });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });
});
