import type { Kind } from "../config/kind.ts";
import { secret } from "../config/kinds/kubernetes.ts";
import { kinds } from "../config/kinds.ts";
import { watchedKinds } from "../config/watched-kinds.ts";
import { inputsOf, transformsFor } from "../galley/processor/transforms.ts";
import { fileSource } from "../galley/source/file.ts";
import { meshFileSource } from "../galley/source/mesh-file.ts";
import { networksFileSource } from "../galley/source/networks-file.ts";
import { OptionalSource } from "../galley/source/optional.ts";
import type { Source } from "../galley/source/source.ts";
import type { Clock } from "../lib/clock.ts";
import { MeshError } from "../lib/errors.ts";
import { durationMs } from "./option-values.ts";
import type { Options } from "./options.ts";
import { groups } from "./publications.ts";

type SourceOptions = Pick<Options, "sources" | "mesh" | "networks" | "serviceDiscovery" | "exclude">;

/** In order of precedence: the mesh's own files, then the sources as given. Throws `bad-option`. */
export function sourcesFrom(options: SourceOptions, clock: Clock): readonly Source[] {
  const { mesh, networks, sources } = options;
  const needed = inputsOf([...groups, "localAnalysis"], transformsFor(kinds));
  const watched = watchedKinds(kinds, { ...options, needed }).filter(isReadByServers);
  return [
    ...(mesh === undefined ? [] : [meshFileSource({ file: mesh, clock })]),
    ...(networks === undefined ? [] : [networksFileSource({ file: networks, clock })]),
    ...[...new Set(sources)].map((url) => sourceFrom(url, watched, clock)),
  ];
}

/**
 * What only analysis reads costs nothing where files are read anyway. Secrets stay out of a process that runs for months
 * and shows its memory to whoever profiles it: what is wrong with them is for `binnacle analyze` to say.
 */
function isReadByServers({ collection }: Kind): boolean {
  return collection !== secret.collection;
}

/** `?optional=30s` at the end of a URL: how long the others wait. */
const optionalQuery = /\?optional=(?<wait>[^?&]*)$/u;

function sourceFrom(url: string, watched: readonly Kind[], clock: Clock): Source {
  const wait = optionalQuery.exec(url)?.groups?.["wait"];
  const source = requiredSource(url.replace(optionalQuery, ""), watched, clock);
  if (wait === undefined) return source;
  const waitMs = durationMs.parse([wait]);
  if (waitMs !== undefined) return new OptionalSource(source, { clock, waitMs });
  throw new MeshError(
    "bad-option",
    `--source ${url}: expected ${durationMs.expected} after optional=, found "${wait}"`,
  );
}

function requiredSource(url: string, watched: readonly Kind[], clock: Clock): Source {
  const scheme = /^(?<scheme>[a-z+]+):/u.exec(url)?.groups?.["scheme"];
  if (scheme === "file") return fileSource({ directory: url.slice("file:".length), kinds: watched, clock });
  const problem = scheme === undefined ? "is not a URL" : `${scheme}: is not supported yet`;
  throw new MeshError("bad-option", `--source ${url}: ${problem}; use file:DIR`);
}
