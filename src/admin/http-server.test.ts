import { connect } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { RecordingLogger } from "../testing/recording-logger.ts";
import { HttpServer } from "./http-server.ts";
import { json, type Route, text } from "./route.ts";

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
    path: "/bug",
    doc: "fails",
    answer: () => {
      throw new Error("broken page");
    },
  },
];

async function start(address = "127.0.0.1:0") {
  const logger = new RecordingLogger();
  const server = new HttpServer({ address, routes, logger });
  const bound = await server.start();
  onTestFinished(() => server.stop());
  return { server, bound, logger };
}

describe("an HTTP server of routes", () => {
  test("answers by path and query", async () => {
    const { bound } = await start();
    const greeting = await fetch(`http://${bound}/greeting?name=reviews`);
    expect([greeting.status, await greeting.text()]).toEqual([200, "hello reviews\n"]);
    const data = await fetch(`http://${bound}/data`);
    expect([data.headers.get("content-type"), await data.json()]).toEqual(["application/json", { a: 1 }]);
  });

  test("lists its pages when asked for one that is not there", async () => {
    const { bound } = await start();
    const answer = await fetch(`http://${bound}/nope`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("/greeting  says hello; ?name=\n/data      an object\n");
  });

  test("takes nothing but GET, and what a page takes beside it", async () => {
    const { bound } = await start();
    expect((await fetch(`http://${bound}/data`, { method: "POST" })).status).toBe(405);
    expect((await fetch(`http://${bound}/level`, { method: "POST" })).status).toBe(405);
    const put = await fetch(`http://${bound}/level`, { method: "PUT", body: "debug" });
    expect([put.status, await put.text()]).toEqual([202, "set to debug\n"]);
  });

  test("reads no more of a body than anybody has to say", async () => {
    const { bound } = await start();
    const tooLong = "a".repeat(64 * 1024 + 1);
    expect((await fetch(`http://${bound}/level/`, { method: "PUT", body: tooLong })).status).toBe(413);
  });

  test("lets no browser take its pages for something else, frame them, or run scripts", async () => {
    const { bound } = await start();
    const { headers } = await fetch(`http://${bound}/data`);
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none';.* frame-ancestors 'none'/u);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("refuses other sites, whatever they ask", async () => {
    const { bound } = await start();
    const asOther = { headers: { origin: "http://evil.example" } };
    expect((await fetch(`http://${bound}/level`, { method: "PUT", body: "debug", ...asOther })).status).toBe(403);
    expect((await fetch(`http://${bound}/data`, asOther)).status).toBe(403);
  });

  test("survives a page that fails, and a path that is no path", async () => {
    const { bound, logger } = await start();
    expect((await fetch(`http://${bound}/bug`)).status).toBe(500);
    expect(logger.messages("error")).toEqual(["page failed"]);
    const [host, port] = bound.split(":");
    const socket = connect(Number(port), host).end("GET //[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(await readAll(socket)).toContain("HTTP/1.1 404");
  });

  test("says in a sentence that its address is taken", async () => {
    const { bound } = await start();
    const second = new HttpServer({ address: bound, routes, logger: new RecordingLogger() });
    await expect(second.start()).rejects.toMatchObject({
      code: "listen-failed",
      message: `${bound} is already in use`,
    });
  });

  test("may be off, and refuses an address that is none", async () => {
    expect((await start("off")).bound).toBe("off");
    await expect(start("nowhere")).rejects.toMatchObject({ code: "bad-option" });
  });
});
