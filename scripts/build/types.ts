/**
 * The types of the public API: the declarations that `index.d.ts` and `xds.d.ts` reach, with those of the library that
 * they mention. The package has no dependency, so that its types must not need one.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { root } from "./bundle.ts";

const library = { specifier: "@bufbuild/protobuf", folder: "node_modules/@bufbuild/protobuf/dist/esm" } as const;
const specifiers = /(?<=\b(?:from|import\()\s*)"(?<specifier>[^"]+)"/gu;

/** Writes `types` into the folder. */
export function writeTypes(folder: string): void {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const emitted = mkdtempSync(join(cache, "types-"));
  try {
    const tsc = join(root, "node_modules/.bin/tsc");
    const { status, stdout } = spawnSync(tsc, ["-p", "tsconfig.build.json", "--outDir", emitted], {
      cwd: root,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`tsc failed:\n${stdout}`);
    copyReached({ src: emitted, library: join(root, library.folder) }, join(folder, "types"));
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

/** Where declarations are read from. In the package, ours are at the top, and the library's below its name. */
interface Origins {
  readonly src: string;
  readonly library: string;
}

function copyReached(origins: Origins, target: string): void {
  const reached = new Set([join(origins.src, "index.d.ts"), join(origins.src, "xds.d.ts")]);
  const placeOf = (file: string) =>
    file.startsWith(origins.src)
      ? join(target, relative(origins.src, file))
      : join(target, library.specifier, relative(origins.library, file));
  for (const file of reached) {
    const text = readFileSync(file, "utf8").replaceAll(specifiers, (_whole, specifier: string) => {
      const imported = declarationOf(specifier, file, origins);
      reached.add(imported);
      const path = relative(dirname(placeOf(file)), placeOf(imported)).replace(/\.d\.ts$/u, ".js");
      return `"${path.startsWith(".") ? path : `./${path}`}"`;
    });
    mkdirSync(dirname(placeOf(file)), { recursive: true });
    writeFileSync(placeOf(file), text);
  }
}

function declarationOf(specifier: string, importer: string, origins: Origins): string {
  if (specifier === library.specifier) return join(origins.library, "index.d.ts");
  if (!specifier.startsWith(".")) throw new Error(`the public types mention ${specifier}, which a user need not have`);
  return resolve(dirname(importer), specifier.replace(/\.[jt]s$/u, ".d.ts"));
}
