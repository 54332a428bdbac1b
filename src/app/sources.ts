import { kinds } from "../config/kinds.ts";
import { fileSource } from "../galley/source/file.ts";
import type { ReloadingSource } from "../galley/source/file-reload.ts";
import { meshFileSource } from "../galley/source/mesh-file.ts";
import type { Clock } from "../lib/clock.ts";
import { MeshError } from "../lib/errors.ts";
import type { Options } from "./options.ts";

/** In order of precedence: the mesh's own file, then the sources as given. Throws `bad-option`. */
export function sourcesFrom(options: Pick<Options, "sources" | "mesh">, clock: Clock): readonly ReloadingSource[] {
  const mesh = options.mesh === undefined ? [] : [meshFileSource({ file: options.mesh, clock })];
  return [...mesh, ...[...new Set(options.sources)].map((url) => sourceFrom(url, clock))];
}

function sourceFrom(url: string, clock: Clock): ReloadingSource {
  const scheme = /^(?<scheme>[a-z+]+):/u.exec(url)?.groups?.["scheme"];
  if (scheme === "file") return fileSource({ directory: url.slice("file:".length), kinds, clock });
  const problem = scheme === undefined ? "is not a URL" : `${scheme}: is not supported yet`;
  throw new MeshError("bad-option", `--source ${url}: ${problem}; use file:DIR`);
}
