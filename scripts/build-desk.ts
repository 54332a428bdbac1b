/**
 * Builds the front-end (`desk/`) into `gen/desk`: a shell, one script and one stylesheet. Both have a hash of their
 * content in the name, so that browsers keep them for ever. The package contains them.
 * Fails above the byte budget: an operator opens the desk over a bad line, on a bad day.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const desk = join(root, "desk");

/** The largest sizes in bytes, compressed. */
const budget = { script: 60_000, style: 10_000 } as const;

/** In this order: later rules win. */
const styles = ["tokens", "base", "shell", "parts", "table", "screens"];

/** The sizes of the built files in bytes, compressed. */
export interface DeskSizes {
  readonly script: number;
  readonly style: number;
}

/** Replaces the content of the folder. */
export async function buildDesk(folder: string): Promise<DeskSizes> {
  const script = await bundleScript();
  const style = styles.map((name) => readFileSync(join(desk, `style/${name}.css`), "utf8")).join("\n");
  const sizes = { script: gzipSync(script).length, style: gzipSync(style).length };
  if (sizes.script > budget.script || sizes.style > budget.style)
    throw new Error(`the desk exceeds its budget: ${JSON.stringify({ sizes, budget })}`);

  const names = { script: `desk-${hashOf(script)}.js`, style: `desk-${hashOf(style)}.css` };
  const shell = readFileSync(join(desk, "index.html"), "utf8")
    .replace("%SCRIPT%", names.script)
    .replace("%STYLE%", names.style);
  // Not in place: copies of a checkout may share the files by hard links.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), shell);
  writeFileSync(join(folder, "assets", names.script), script);
  writeFileSync(join(folder, "assets", names.style), style);
  return sizes;
}

async function bundleScript(): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: join(desk, "main.tsx"),
    platform: "browser",
    tsconfig: join(desk, "tsconfig.json"),
  });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

function hashOf(content: string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 12);
}

if (import.meta.main) {
  const { script, style } = await buildDesk(join(root, "gen/desk"));
  process.stderr.write(
    `desk: script ${script} B of ${budget.script}, style ${style} B of ${budget.style}, compressed\n`,
  );
}
