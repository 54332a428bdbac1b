import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A page of a built site. */
interface BuiltPage {
  readonly path: string;
  /** Targets of links. */
  readonly links: readonly string[];
  /** Addresses that the browser loads by itself: scripts, styles, pictures. */
  readonly loads: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** The links, loaded files and anchors of a built site. */
export class BuiltSite {
  readonly pages: ReadonlyMap<string, BuiltPage>;
  readonly #files: ReadonlySet<string>;

  constructor(folder: string) {
    this.#files = new Set(globSync("**/*", { cwd: folder }).map((path) => path.replaceAll("\\", "/")));
    const paths = [...this.#files].filter((path) => path.endsWith(".html")).toSorted();
    this.pages = new Map(paths.map((path) => [path, readPage(path, readFileSync(join(folder, path), "utf8"))]));
  }

  /** Links and loaded files that lead nowhere, as `page: target`. */
  deadLinks(): readonly string[] {
    return [...this.pages.values()].flatMap((page) =>
      [...page.links, ...page.loads]
        .filter((target) => !isElsewhere(target) && !this.#leadsSomewhere(page.path, target))
        .map((target) => `${page.path}: ${target}`),
    );
  }

  /** Addresses of other hosts that a browser would load by itself. */
  foreignLoads(): readonly string[] {
    return [...this.pages.values()].flatMap(({ path, loads }) =>
      loads
        .filter((target) => isElsewhere(target) && !target.startsWith("data:"))
        .map((target) => `${path}: ${target}`),
    );
  }

  /** Pages that no link reaches from the first one. */
  unreachable(): readonly string[] {
    const seen = new Set<string>();
    const waiting = ["index.html"];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const page = this.pages.get(path);
      const targets = page?.links.filter((target) => !isElsewhere(target)).map((target) => placeOf(path, target).file);
      waiting.push(...(targets ?? []).filter((target) => this.pages.has(target)));
    }
    return [...this.pages.keys()].filter((path) => !seen.has(path) && path !== "404.html");
  }

  #leadsSomewhere(from: string, target: string): boolean {
    const { file, anchor } = placeOf(from, target);
    if (anchor === undefined || anchor === "") return this.#files.has(file);
    return this.pages.get(file)?.anchors.has(anchor) ?? false;
  }
}

function readPage(path: string, html: string): BuiltPage {
  const valuesOf = (pattern: RegExp) =>
    Array.from(html.matchAll(pattern), (match) => (match[1] ?? "").replaceAll("&amp;", "&"));
  return {
    path,
    links: valuesOf(/<a\b[^>]*?\shref="([^"]*)"/gu),
    loads: [
      ...valuesOf(/<(?:link|script|img|source)\b[^>]*?\s(?:href|src)="([^"]*)"/gu),
      ...valuesOf(/url\((https?:[^)]*)\)/gu),
    ],
    anchors: new Set(valuesOf(/\sid="([^"]*)"/gu)),
  };
}

function isElsewhere(target: string): boolean {
  return /^(?:\w+:|\/\/)/u.test(target);
}

function placeOf(from: string, target: string): { readonly file: string; readonly anchor: string | undefined } {
  const [path = "", anchor] = target.split("#");
  if (path === "") return { file: from, anchor };
  const joined = path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(from), path);
  const file = joined === "" || joined.endsWith("/") ? `${joined}index.html` : joined;
  return { file: file.replace(/^\.\//u, ""), anchor: anchor === undefined ? undefined : decodeURIComponent(anchor) };
}
