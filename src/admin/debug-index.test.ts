import { describe, expect, test } from "vitest";
import { debugIndex, rootPage } from "./debug-index.ts";
import { type Route, text } from "./route.ts";

const pages = [
  { path: "/ready", doc: "whether <it> works", answer: () => text("") },
  { path: "/debug/syncz", doc: "who is in sync", answer: () => text("") },
];
const none = new URLSearchParams();

describe("the list of pages", () => {
  test("is HTML for people, with a link and the purpose of each", async () => {
    const index = debugIndex(pages).find(({ path }) => path === "/debug");
    const answer = await index?.answer(none);
    expect(answer?.contentType).toContain("text/html");
    expect(answer?.body).toContain('<a href="/debug/syncz">/debug/syncz</a>');
    expect(answer?.body).toContain("whether &lt;it&gt; works");
    expect(answer?.body).toContain('<a href="/debug">/debug</a>');
  });

  test("is a list of names for programs", async () => {
    const list = debugIndex(pages).find(({ path }) => path === "/debug/list");
    expect(JSON.parse((await list?.answer(none))?.body ?? "")).toEqual(["list", "syncz"]);
  });
});

function route(path: string): Route {
  return { path, doc: `about ${path}`, answer: () => text("") };
}

describe("the root page", () => {
  const root = rootPage([route("/ready"), route("/debug"), route("/debug/syncz")]);

  test("is a page of links for a browser", async () => {
    const { contentType, body } = await root.answer(new URLSearchParams(), "text/html,application/xhtml+xml,*/*;q=0.8");
    expect(contentType).toMatch(/^text\/html/u);
    expect(body).toContain('<a href="/debug">/debug</a>');
  });

  test("is a list for other clients, as text or as JSON", async () => {
    expect((await root.answer(new URLSearchParams(), "*/*")).body).toBe("/ready  about /ready\n/debug  about /debug\n");
    expect(JSON.parse((await root.answer(new URLSearchParams(), "application/json")).body)).toEqual([
      { path: "/ready", doc: "about /ready" },
      { path: "/debug", doc: "about /debug" },
    ]);
  });
});
