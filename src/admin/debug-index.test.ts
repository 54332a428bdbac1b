import { describe, expect, test } from "vitest";
import { debugIndex } from "./debug-index.ts";
import { text } from "./route.ts";

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
