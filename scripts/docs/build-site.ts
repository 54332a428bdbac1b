import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "vitepress";
import { pagePatterns, placeOf } from "../../site/pages.ts";

const root = resolve(import.meta.dirname, "../..");
const site = join(root, "site");
/** The usual place of the built site. */
export const siteFolder = join(site, "dist/html");

/**
 * Builds the site into the folder, and replaces its content. Throws if a link leads nowhere. The pages come from several
 * places of the repository, so they are copied into one folder first.
 */
export async function buildSite(folder: string): Promise<void> {
  const staging = join(dirname(folder), "pages");
  for (const each of [staging, folder]) rmSync(each, { recursive: true, force: true });
  for (const path of globSync([...pagePatterns], { cwd: root })) {
    const place = placeOf(path);
    if (place !== undefined) write(join(staging, place), readFileSync(join(root, path), "utf8"));
  }
  for (const path of globSync("docs/pictures/**/*.png", { cwd: root })) {
    cpSync(join(root, path), join(staging, relative("docs", path)));
  }
  const toSite = relative(join(staging, ".vitepress/theme"), site);
  write(
    join(staging, ".vitepress/config.ts"),
    `export { default } from ${JSON.stringify(join(toSite.slice(3), "config.ts"))};\n`,
  );
  write(
    join(staging, ".vitepress/theme/index.ts"),
    `export { default } from ${JSON.stringify(join(toSite, "theme/index.ts"))};\n`,
  );
  await build(staging, { outDir: folder });
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
