/** Builds the npm package in a folder: code, pages, types, licences and manifest. It has no dependency. */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCommit, readVersion } from "../../src/app/process/version.ts";
import { buildDesk } from "../build-desk.ts";
import { commitDay } from "../man/commit-day.ts";
import { type ManPage, manPages } from "../man/man-pages.ts";
import { bundle, root } from "./bundle.ts";
import { type BundledPackage, bundledPackages, licenceText, refusedPackages } from "./bundled-packages.ts";
import { sbomText } from "./sbom.ts";
import { writeTypes } from "./types.ts";

export interface BuildOptions {
  /** Types, licences and the bill of materials. Default: all are made. Tests that only start the command skip them. */
  readonly documents?: boolean;
  /** Default: made. They name our files in stacks. */
  readonly sourceMaps?: boolean;
}

/** Replaces the content of the folder. */
export async function buildPackage(folder: string, options: BuildOptions = {}): Promise<readonly BundledPackage[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = await bundle(folder, { sourceMaps: options.sourceMaps ?? true });
  chmodSync(join(folder, "binnacle.js"), 0o755);
  await buildDesk(join(folder, "gen/desk"));
  const pages = await manPages({ version: readVersion(), day: commitDay(root) });
  mkdirSync(join(folder, "man"));
  for (const { name, text } of pages) writeFileSync(join(folder, "man", name), text);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(pages), undefined, 2)}\n`);
  // A published package has no Git beside it.
  writeFileSync(join(folder, "commit"), `${readCommit(root)}\n`);
  const packages = bundledPackages(modules);
  if (options.documents ?? true) writeDocuments(folder, packages);
  return packages;
}

function writeDocuments(folder: string, packages: readonly BundledPackage[]): void {
  const refused = refusedPackages(packages);
  if (refused.length > 0)
    throw new Error(`the package must not contain code under these licences: ${refused.join("; ")}`);
  for (const name of ["LICENSE", "README.md", "CHANGELOG.md"]) copyFileSync(join(root, name), join(folder, name));
  writeFileSync(join(folder, "LICENSES.txt"), licenceText(packages));
  writeFileSync(join(folder, "sbom.cdx.json"), sbomText(packages));
  writeTypes(folder);
}

/** No scripts and no dependencies: an installation runs nothing, and fetches nothing else. */
function manifest(pages: readonly ManPage[]): object {
  const { name, version, description, license, type, engines } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { binnacle: "binnacle.js" },
    man: pages.map((page) => `./man/${page.name}`),
    exports: { ".": exported("index"), "./xds": exported("xds") },
    imports: { "#kubernetes-client": "./kubernetes-client.js" },
  };
}

function exported(file: string): object {
  return { types: `./types/${file}.d.ts`, default: `./${file}.js` };
}
