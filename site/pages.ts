import { posix } from "node:path";

/** Files outside of `docs/` that are pages of the site too, with their place on it. */
const outside: Readonly<Record<string, string>> = {
  "site/index.md": "index.md",
  "README.md": "project/readme.md",
  "ARCHITECTURE.md": "project/architecture.md",
  "CONTRIBUTING.md": "project/contributing.md",
  "SECURITY.md": "project/security.md",
  "CHANGELOG.md": "project/changelog.md",
  "examples/bookinfo/README.md": "examples/bookinfo.md",
  "examples/xds-library/README.md": "examples/xds-library.md",
};

/** The patterns of all files that may be pages, from the root of the repository. */
export const pagePatterns: readonly string[] = ["docs/**/*.md", ...Object.keys(outside)];

/** The place of a file on the site. Undefined for files that are not pages. */
export function placeOf(path: string): string | undefined {
  if (outside[path] !== undefined) return outside[path];
  if (!path.startsWith("docs/") || !path.endsWith(".md")) return undefined;
  return path.slice("docs/".length).replace(/(?<=^|\/)README\.md$/u, "index.md");
}

export type SiteLink =
  /** A page of the site: `href` leads to it from the page with the link. */
  | { readonly type: "page"; readonly href: string }
  /** A file or folder of the repository that is no page. The site shows its path. */
  | { readonly type: "path"; readonly path: string }
  /** An anchor of the same page, or another host. */
  | { readonly type: "kept" };

/**
 * The form of a link on the site. `from` is the path of the linking file, `isPage` tells which files of the repository
 * are pages.
 */
export function siteLink(from: string, href: string, isPage: (path: string) => boolean): SiteLink {
  if (href.startsWith("#") || /^\w+:/u.test(href)) return { type: "kept" };
  const [target = "", anchor] = href.split("#");
  const path = posix.join(posix.dirname(from), target).replace(/\/$/u, "");
  const page = [path, `${path}/README.md`].find(isPage);
  const to = page === undefined ? undefined : placeOf(page);
  if (to === undefined) return { type: "path", path };
  const place = posix.relative(posix.dirname(placeOf(from) ?? from), to);
  const relative = place.startsWith(".") ? place : `./${place}`;
  return { type: "page", href: anchor === undefined ? relative : `${relative}#${anchor}` };
}

/** The anchor of a heading, as GitHub makes it. The site makes the same, so one link works in both. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}
