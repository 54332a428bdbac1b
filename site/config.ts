import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";
import { openFromFolder } from "./folder-script.ts";
import { adaptMarkdown } from "./markdown.ts";
import { anchorOf, pagePatterns, placeOf } from "./pages.ts";
import { pageStyle } from "./picture/svg.ts";
import { navigationOf, sidebarsOf } from "./sidebar.ts";

const root = resolve(import.meta.dirname, "..");
const files = globSync([...pagePatterns], { cwd: root }).toSorted();
/** The file behind each page. */
const sources = new Map(files.flatMap((path) => (placeOf(path) ? [[placeOf(path) ?? "", path] as const] : [])));
const titles = new Map(Array.from(sources, ([place, path]) => [place.replace(/\.md$/u, ""), titleOf(path)]));

const sidebars: DefaultTheme.SidebarMulti = Object.fromEntries(
  Object.entries(sidebarsOf(titles)).map(([start, groups]) => [
    start,
    groups.map(({ text, items }) => ({ text, items: [...items] })),
  ]),
);

function titleOf(path: string): string {
  const title = /^# (?<title>.+)$/mu.exec(readFileSync(join(root, path), "utf8"))?.groups?.["title"];
  return (title ?? path).replaceAll("`", "");
}

export default defineConfig({
  title: "Binnacle",
  description: "A service-mesh control plane for Envoy and proxyless gRPC",
  cleanUrls: false,
  lastUpdated: false,
  metaChunk: true,
  head: [
    ["style", {}, pageStyle],
    ["link", { rel: "icon", href: "data:," }],
  ],
  transformHead: ({ page }) => [["script", {}, openFromFolder(page)]],
  markdown: {
    html: false,
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (md) =>
      adaptMarkdown(md, {
        sourceOf: (place) => sources.get(place) ?? place,
        isPage: (path) => files.includes(path),
        exists: (path) => existsSync(join(root, path)),
        read: (from, target) => readFileSync(resolve(root, from, "..", target), "utf8"),
      }),
  },
  themeConfig: {
    nav: navigationOf(titles).map(({ text, link }) => ({ text, link, activeMatch: `^/${link.split("/")[1]}` })),
    sidebar: sidebars,
    outline: { level: [2, 3], label: "On this page" },
    // Colours of code do not matter to the search, and take half of the time of a build.
    search: {
      provider: "local",
      options: { _render: (text, env, md) => md.set({ highlight: null }).render(text, env) },
    },
    docFooter: { prev: "Before", next: "Next" },
  },
  vite: { build: { chunkSizeWarningLimit: 4_000 }, logLevel: "warn" },
});
