import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { anchorOf } from "../site/pages.ts";
import { optionRows } from "../src/app/options/options.ts";
import type { ListedCommand } from "../src/cli/command.ts";
import { commands } from "../src/cli/commands.ts";
import { blocksOf, commandDocuments, skipReason } from "./e2e/support/documents/recipe.ts";

const root = resolve(import.meta.dirname, "..");
const documents = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root }).toSorted();
const manifest = JSON.parse(textOf("package.json")) as Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Our files and folders that a text names. A placeholder such as `<kind>.ts` counts as its folder. */
const paths = /(?<![\w./-])(?:src|test|scripts|proto|docs|examples|bench|deploy)\/[\w./*-]*/g;
const links = /\]\((?!\w+:|#)([^)#\s]+)(?:#[^)\s]*)?\)/g;
const anchors = /\]\((?!\w+:)([^)#\s]*#[^)\s]+)\)/g;
const scripts = /\bnpm run (?:--silent )?([\w:]+)/g;

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Names in a document that do not exist. */
function missing(text: string, document: string): string[] {
  const folder = dirname(document);
  const linked = matches(text, links).map((target) => join(folder, target));
  const named = matches(text, paths).map((path) => path.replace(/[.-]+$/, ""));
  return [
    ...[...linked, ...named].filter((path) => !isThere(path)),
    ...matches(text, anchors).filter((target) => !hasHeading(target, text, folder)),
    ...matches(text, scripts)
      .filter((name) => manifest["scripts"]?.[name] === undefined)
      .map((name) => `npm run ${name}`),
  ];
}

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), (match) => match[1] ?? match[0]);
}

function isThere(path: string): boolean {
  return path.includes("*") ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));
}

/** True if `PAGE#heading`, or `#heading` of this page, leads to a heading. Another check reports a missing page. */
function hasHeading(target: string, text: string, folder: string): boolean {
  const [page = "", anchor = ""] = target.split("#");
  const path = join(folder, page);
  if (page !== "" && !isThere(path)) return true;
  const headings = matches(page === "" ? text : textOf(path), /^#+ (.*)$/gm);
  return headings.map(anchorOf).includes(anchor);
}

/** `Name` (`file.ts`), `Name` or `Name` (`file.ts`), `Name` in `file.ts`; a file without a folder lies beside the last. */
const namesInFiles = /`([\w.]+)`(?: (?:or|and) `([\w.]+)`)?\s+(?:\(|in )`((?:(?:src|test)\/[\w./-]+\/)?)([\w-]+\.ts)`/g;

/** Names that a document attributes to a file without them. */
function astray(text: string): string[] {
  let last = "";
  return Array.from(text.matchAll(namesInFiles)).flatMap(([, one = "", other = "", folder = "", file = ""]) => {
    last = folder || last;
    const content = existsSync(join(root, last, file)) ? textOf(join(last, file)) : "";
    const words = `${one}.${other}`.split(".").filter((word) => word !== "");
    return words
      .filter((word) => !new RegExp(`\\b${word}\\b`).test(content))
      .map((word) => `${word} in ${last}${file}`);
  });
}

/** Flags of other programs in documents: kubectl, istioctl, Envoy, Prometheus, npm, Node, vitest, our scripts. */
const foreign =
  "--adapter --conditions --config --config-yaml --for --from-file --help --ignore-not-found --max-old-space-size --no-save --plaintext --print-value-only --project --replicas --serve --set --silent --storage " +
  "--take-ownership --tls-cipher-suites --use-dynamic-base-id --web --xds-address";
const ownFlags = [optionRows.map(([, { name }]) => name), ...(await Promise.all(commands.map(flagsOf)))].flat();
const flags = new Set([...foreign.split(" "), ...ownFlags.map((name) => `--${name}`)]);

async function flagsOf({ load }: ListedCommand): Promise<readonly string[]> {
  return (await load()).command.flags.map(({ name }) => name);
}

/** Unknown flags. Those with a capital letter are Istio's. */
function noFlags(text: string): string[] {
  return matches(text, /(?<=[\s`(])(--[a-z][a-z0-9-]*)(?![\w-])/g).filter((flag) => !flags.has(flag));
}

describe("documents name only existing things", () => {
  test.each(documents)("%s", (path) => {
    const text = textOf(path);
    expect([...missing(text, path), ...astray(text), ...noFlags(text)]).toEqual([]);
  });

  test("a missing thing is detected", () => {
    const text = "[a](../README.md#gone) [b](gone.md#a) `src/cli/main.ts`, src/gone.ts. `npm run gone`, `test/gone/*`.";
    expect(missing(text, "docs/a.md")).toEqual([
      "docs/gone.md",
      "src/gone.ts",
      "test/gone/*",
      "../README.md#gone",
      "npm run gone",
    ]);
    const names = "`LocalLink.distribute` (`src/app/local-link.ts`), `Gone` or `Lost` (`wire.ts`, beside it)";
    expect(astray(names)).toEqual(["Gone in src/app/wire.ts", "Lost in src/app/wire.ts"]);
    expect(noFlags("`--xds off`, `--xsd off`, --silent, `--configDir`")).toEqual(["--xsd"]);
  });
});

test("ARCHITECTURE.md is short enough to read at once: 250 lines, with 25 terms at most", () => {
  const lines = textOf("ARCHITECTURE.md").split("\n");
  expect(lines.length).toBeLessThanOrEqual(251);
  const glossary = lines.slice(lines.indexOf("## Glossary") + 4).filter((line) => line.startsWith("| "));
  expect(glossary.length).toBeGreaterThan(5);
  expect(glossary.flatMap((line) => (line.split("|")[1] ?? "").split(",")).length).toBeLessThanOrEqual(25);
});

describe("tests run the commands in documents, or the document says why not", () => {
  const typed = globSync([...commandDocuments], { cwd: root }).toSorted();

  test.each(typed)("%s", (path) => {
    const shells = [...blocksOf(textOf(path))].filter(({ language }) => language === "sh");
    const unclear = shells.filter((block) => {
      const isRun = ["", "terminal", "eventually"].includes(block.words.join(" "));
      return !isRun && !skipReason(block);
    });
    expect(unclear.map(({ line, words }) => `${path}:${line}: ${words.join(" ")}`)).toEqual([]);
  });
});

describe("every dependency has a decision behind it", () => {
  const decisions = globSync("docs/adr/0*.md", { cwd: root }).map(textOf).join("\n");

  test.each(["dependencies", "devDependencies", "optionalDependencies"])("%s", (field) => {
    const names = Object.keys(manifest[field] ?? {});
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !new RegExp(`(?<![\\w/-])${name}(?![\\w/-])`).test(decisions))).toEqual([]);
  });
});
