/** The packages of others whose code is in ours, with their licences. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bundle.ts";

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  /** The texts of its licence and notice files. */
  readonly texts: readonly string[];
}

/** In our package by other ways: Envoy's protos, from which `gen` is made, and the library of the desk's pages. */
const beside = ["node_modules/@grpc/grpc-js-xds", "node_modules/preact"];

/** Licences that let us pass the code on under ours. */
const allowed: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
]);

/** In the order of their names. `modules` are paths below the root. */
export function bundledPackages(modules: readonly string[]): readonly BundledPackage[] {
  const folders = new Set([...beside, ...modules.flatMap((path) => packageFolder(path) ?? [])]);
  return Array.from(folders, readPackage).toSorted((a, b) => idOf(a).localeCompare(idOf(b), "en"));
}

export function idOf({ name, version }: BundledPackage): string {
  return `${name}@${version}`;
}

/** The innermost folder of `node_modules` that the module is in. */
function packageFolder(path: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(path)?.[0];
}

function readPackage(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const files = globSync("{LICEN[CS]E,NOTICE,COPYING}*", { cwd: join(root, folder) }).toSorted();
  const texts = files.map((file) => readFileSync(join(root, folder, file), "utf8").trim());
  return { name: manifest.name, version: manifest.version, licence: manifest.license ?? "none", texts };
}

/** Packages whose licence is not allowed. Of alternatives (`OR`), one must be. */
export function refusedPackages(packages: readonly BundledPackage[]): readonly string[] {
  return packages.filter(({ licence }) => !isAllowed(licence)).map((each) => `${idOf(each)}: ${each.licence}`);
}

function isAllowed(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/gu, " ");
  return plain
    .split(/\sOR\s/u)
    .some((alternative) => alternative.split(/\sAND\s/u).every((id) => allowed.has(id.trim())));
}

/** One text with the licences of all. Equal texts appear once, with the names of their packages. */
export function licenceText(packages: readonly BundledPackage[]): string {
  const own = existsSync(join(root, "LICENSE")) ? readFileSync(join(root, "LICENSE"), "utf8") : "";
  const byText = Map.groupBy(packages, ({ texts }) => texts.join("\n\n"));
  const parts = Array.from(byText, ([text, users]) => {
    const heading = users.map((each) => `${idOf(each)} (${each.licence})`).join("\n");
    // A package without a licence file has it in package.json alone.
    return `${heading}\n\n${text === "" || text === own.trim() ? "" : text}`.trimEnd();
  });
  const line = `\n\n${"-".repeat(80)}\n\n`;
  return `Binnacle contains code of these packages, under the licences below.\n\n${packages.map((each) => `- ${idOf(each)} (${each.licence})`).join("\n")}${line}${parts.join(line)}\n`;
}
