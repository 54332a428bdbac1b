import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { anchorOf, siteLink } from "../../site/pages.ts";
import { sequencePicture } from "../../site/picture/sequence.ts";
import { navigationOf, sections, sidebarsOf } from "../../site/sidebar.ts";
import { BuiltSite } from "../../test/e2e/support/documents/built-site.ts";
import { serveFolder } from "./serve-folder.ts";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-site-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

describe("links of the repository on the site", () => {
  const pages = new Set(["docs/start.md", "docs/recipes/a.md", "docs/adr/README.md", "ARCHITECTURE.md"]);
  const link = (from: string, href: string) => siteLink(from, href, (path) => pages.has(path));

  test.each([
    ["docs/recipes/a.md", "../start.md#next", { type: "page", href: "../start.md#next" }],
    ["docs/recipes/a.md", "../../ARCHITECTURE.md", { type: "page", href: "../project/architecture.md" }],
    ["ARCHITECTURE.md", "docs/recipes/a.md#b", { type: "page", href: "../recipes/a.md#b" }],
    ["docs/start.md", "adr", { type: "page", href: "./adr/index.md" }],
    ["docs/start.md", "../src/cli/main.ts", { type: "path", path: "src/cli/main.ts" }],
    ["docs/start.md", "recipes/", { type: "path", path: "docs/recipes" }],
    ["docs/start.md", "#next", { type: "kept" }],
    ["docs/start.md", "https://example.com", { type: "kept" }],
  ])("in %s, %s", (from, href, expected) => {
    expect(link(from, href)).toEqual(expected);
  });

  test("anchors are those of GitHub", () => {
    expect(anchorOf("503 or 404, after an edit")).toBe("503-or-404-after-an-edit");
    expect(anchorOf("`--ca`: the root")).toBe("--ca-the-root");
  });
});

test("every page of the repository has a place in the sidebar, also one that no group lists", () => {
  const titles = new Map([
    ["index", "Home"],
    ["start", "Start here"],
    ["recipes/replace-istiod", "Replace istiod"],
    ["recipes/new-one", "A new recipe"],
  ]);
  const sidebars = sidebarsOf(titles);
  expect(Object.keys(sidebars)).toEqual(["/start", "/recipes/"]);
  expect(sidebars["/recipes/"]?.flatMap(({ items }) => items.map(({ text }) => text))).toEqual([
    "Replace istiod",
    "A new recipe",
  ]);
  expect(navigationOf(titles).find(({ text }) => text === "How-to")?.link).toBe("/recipes/replace-istiod");
  const pages = sections.flatMap(({ groups }) => groups.flatMap((group) => group.pages));
  expect(pages).toEqual([...new Set(pages)]);
});

/** The files that a page may be made from. */
function sourcesOf(page: string): readonly string[] {
  return [
    `docs/${page}.md`,
    `docs/${page.replace(/index$/u, "README")}.md`,
    `${page}/README.md`,
    `${page.replace(/^project\//u, "").toUpperCase()}.md`,
  ];
}

test("the sidebar names only pages that exist", () => {
  const root = join(import.meta.dirname, "../..");
  const pages = sections.flatMap(({ groups }) => groups.flatMap((group) => group.pages));
  const named = pages.filter((page) => !page.endsWith("*"));
  expect(named.filter((page) => !sourcesOf(page).some((path) => existsSync(join(root, path))))).toEqual([]);
});

test("a sequence diagram that is not understood is an error", () => {
  expect(() => sequencePicture("flowchart LR\nA-->B")).toThrow("only sequence diagrams are drawn, not flowchart LR");
  expect(() => sequencePicture("sequenceDiagram\nparticipant A as a\nA->>B: x")).toThrow("has no participant B");
  expect(() => sequencePicture("sequenceDiagram\nloop forever")).toThrow(
    "not understood in a sequence diagram: loop forever",
  );
});

test("a dead link, a dead anchor, a foreign host and a page out of reach are found", () => {
  const site = new BuiltSite(
    folderWith({
      "index.html": `<a class="x" href="/a/b.html#c">ok</a><a href="gone.html"></a><a href="https://example.com">`,
      "a/b.html": `<h2 id="c"></h2><a href="../index.html#gone"></a><img src="https://example.com/x.png"><script src="/no.js">`,
      "lost.html": "",
    }),
  );
  expect(site.deadLinks()).toEqual(["a/b.html: ../index.html#gone", "a/b.html: /no.js", "index.html: gone.html"]);
  expect(site.foreignLoads()).toEqual(["a/b.html: https://example.com/x.png"]);
  expect(site.unreachable()).toEqual(["lost.html"]);
});

test("a folder is served on loopback, and nothing beside it", async () => {
  const folder = folderWith({ "site/index.html": "home", "secret.txt": "secret" });
  await using served = await serveFolder(join(folder, "site"));
  expect(new URL(served.url).hostname).toBe("127.0.0.1");
  const ask = async (path: string) => {
    const response = await fetch(new URL(path, served.url));
    return [response.status, await response.text()];
  };
  expect(await ask("/")).toEqual([200, "home"]);
  expect(await ask("/%2e%2e/secret.txt")).toEqual([404, "there is no /secret.txt\n"]);
  expect(await ask("/..%2fsecret.txt")).toEqual([404, "there is no /..%2fsecret.txt\n"]);
});
