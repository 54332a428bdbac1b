import type { Kind } from "../config/kind.ts";
import { kinds } from "../config/kinds.ts";
import { watchedKinds } from "../config/watched-kinds.ts";
import { inputsOf, transformsFor } from "../galley/processor/transforms.ts";
import { fileSource } from "../galley/source/file.ts";
import type { ReloadingSource } from "../galley/source/file-reload.ts";
import { meshFileSource } from "../galley/source/mesh-file.ts";
import type { Clock } from "../lib/clock.ts";
import { MeshError } from "../lib/errors.ts";
import type { Options } from "./options.ts";
import { groups } from "./publications.ts";

type SourceOptions = Pick<Options, "sources" | "mesh" | "serviceDiscovery" | "exclude">;

/** In order of precedence: the mesh's own file, then the sources as given. Throws `bad-option`. */
export function sourcesFrom(options: SourceOptions, clock: Clock): readonly ReloadingSource[] {
  const mesh = options.mesh === undefined ? [] : [meshFileSource({ file: options.mesh, clock })];
  const watched = watchedKinds(kinds, { ...options, needed: inputsOf(groups, transformsFor(kinds)) });
  return [...mesh, ...[...new Set(options.sources)].map((url) => sourceFrom(url, watched, clock))];
}

function sourceFrom(url: string, watched: readonly Kind[], clock: Clock): ReloadingSource {
  const scheme = /^(?<scheme>[a-z+]+):/u.exec(url)?.groups?.["scheme"];
  if (scheme === "file") return fileSource({ directory: url.slice("file:".length), kinds: watched, clock });
  const problem = scheme === undefined ? "is not a URL" : `${scheme}: is not supported yet`;
  throw new MeshError("bad-option", `--source ${url}: ${problem}; use file:DIR`);
}
