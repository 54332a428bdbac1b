import type { MarkdownRenderer } from "vitepress";
import { type SiteLink, siteLink } from "./pages.ts";
import { sequencePicture } from "./picture/sequence.ts";
import { inlined } from "./picture/svg.ts";

type Token = ReturnType<MarkdownRenderer["parse"]>[number];

/** The facts about the repository that pages need while they are rendered. */
export interface Repository {
  /** The path of the file behind a page, from the root of the repository. */
  readonly sourceOf: (place: string) => string;
  readonly isPage: (path: string) => boolean;
  readonly exists: (path: string) => boolean;
  /** The text of the file that a page names by a relative path. */
  readonly read: (from: string, target: string) => string;
}

/** Makes pages from the Markdown of the repository as it is: it must read well on GitHub, too. */
export function adaptMarkdown(md: MarkdownRenderer, repository: Repository): void {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    const { relativePath } = env as { readonly relativePath: string };
    const from = repository.sourceOf(relativePath);
    const place = (href: string) => {
      const link = siteLink(from, href, repository.isPage);
      if (link.type === "path" && !repository.exists(link.path))
        throw new Error(`${from} links to ${href}: no such file`);
      return link;
    };
    for (const token of tokens) {
      if (token.children) token.children = adaptLinks(token.children, place);
    }
  });
  escapeTemplates(md);
  drawPictures(md, repository);
}

/** Links to pages lead to their place. Of a link to another file, the text and the path stay. */
function adaptLinks(tokens: readonly Token[], place: (href: string) => SiteLink): Token[] {
  let path: string | undefined;
  return tokens.map((token, index) => {
    if (token.type === "link_open") {
      const link = place(String(token.attrGet("href")));
      path = link.type === "path" ? link.path : undefined;
      if (link.type === "page") token.attrSet("href", link.href);
      return path === undefined ? token : textInstead(token, "");
    }
    if (token.type !== "link_close" || path === undefined) return token;
    const shown = tokens[index - 1]?.content ?? "";
    const text = path.endsWith(shown) ? "" : ` (${path})`;
    path = undefined;
    return textInstead(token, text);
  });
}

function textInstead(token: Token, content: string): Token {
  return Object.assign(token, { type: "text", tag: "", nesting: 0, attrs: null, content });
}

/** Pages are templates of Vue, which would evaluate `{{`. Code blocks have their own protection. */
function escapeTemplates(md: MarkdownRenderer): void {
  for (const rule of ["text", "code_inline"]) {
    const render = md.renderer.rules[rule];
    md.renderer.rules[rule] = (...args) => (render?.(...args) ?? "").replaceAll("{{", "&#123;&#123;");
  }
}

/** Pictures are part of the page, so that they have its theme. A sequence diagram becomes a picture as on GitHub. */
function drawPictures(md: MarkdownRenderer, repository: Repository): void {
  const { image, fence } = md.renderer.rules;
  md.renderer.rules["image"] = (tokens, index, options, env: { readonly relativePath: string }, self) => {
    const target = String(tokens[index]?.attrGet("src"));
    if (target.endsWith("-light.png"))
      return bothThemes(target, self.renderInlineAsText(tokens[index]?.children ?? [], options, env));
    if (!target.endsWith(".svg")) return image?.(tokens, index, options, env, self) ?? "";
    return inlined(repository.read(repository.sourceOf(env.relativePath), target));
  };
  md.renderer.rules["fence"] = (tokens, index, options, env, self) => {
    const { info = "", content = "" } = tokens[index] ?? {};
    if (info.trim() === "mermaid") return inlined(sequencePicture(content));
    return fence?.(tokens, index, options, env, self) ?? "";
  };
}

/** A picture that exists in both themes. The style of the page shows one of them. */
function bothThemes(target: string, description: string): string {
  const path = target.startsWith(".") ? target : `./${target}`;
  const alt = description.replaceAll('"', "&quot;");
  const dark = path.replace(/-light\.png$/u, "-dark.png");
  return `<img class="only-light" src="${path}" alt="${alt}"><img class="only-dark" src="${dark}" alt="${alt}">`;
}
