import type { Kind } from "../../config/kind.ts";
import { secret } from "../../config/kinds/secret.ts";
import { kinds } from "../../config/kinds.ts";
import { watchedKinds } from "../../config/watched-kinds.ts";
import { inputsOf, transformsFor } from "../../galley/processor/transforms.ts";
import { createMeshFileSource, createNetworksFileSource } from "../../galley/source/file/mesh-file-source.ts";
import type { Ledgers } from "../../galley/source/room/ledgers.ts";
import { OptionalSource } from "../../galley/source/optional-source.ts";
import type { Source } from "../../galley/source/source.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { type RemoteGalleys, unobservedGalleys } from "../mcp/remote-galleys.ts";
import { durationMs } from "../options/option-values.ts";
import type { Options } from "../options/options.ts";
import { groups } from "../publications.ts";
import type { SourceTools } from "./make-source.ts";
import { schemes } from "./schemes.ts";
import { badSource, parseSourceUrl, type SourceUrl } from "./source-url.ts";

/** In order of precedence: the mesh's own files, then the sources as given. Throws `bad-option`. */
export function sourcesFrom(options: Options, clock: Clock, galleys = unobservedGalleys()): readonly Source[] {
  const make = sourceMaker(options, clock, galleys);
  return [...meshSources(options, clock), ...[...new Set(options.sources)].map(make)];
}

/** The files with MeshConfig and MeshNetworks, which the settings name. */
export function meshSources({ mesh, networks }: Pick<Options, "mesh" | "networks">, clock: Clock): readonly Source[] {
  return [
    ...(mesh === undefined ? [] : [createMeshFileSource({ file: mesh, clock })]),
    ...(networks === undefined ? [] : [createNetworksFileSource({ file: networks, clock })]),
  ];
}

/** Creates sources from their URLs. Each call may throw `bad-option`. */
export function sourceMaker(
  options: Options,
  clock: Clock,
  galleys: RemoteGalleys,
  { secrets = true, ledgers }: { readonly secrets?: boolean; readonly ledgers?: Ledgers } = {},
): (url: string) => Source {
  const needed = inputsOf([...groups, "credentials", "localAnalysis"], transformsFor(kinds));
  const watched = watchedKinds(kinds, { ...options, needed }).filter((kind) => secrets || !isSecret(kind));
  return (url) => sourceFrom(url, { kinds: watched, clock, options, galleys, ...(ledgers && { ledgers }) });
}

/**
 * Only a process that serves proxies reads Secrets. A Galley alone runs for months and would keep keys for nothing.
 * Problems in Secrets are also reported by `binnacle analyze`.
 */
function isSecret({ collection }: Kind): boolean {
  return collection === secret.collection;
}

function sourceFrom(text: string, tools: SourceTools): Source {
  const url = parseSourceUrl(text);
  const source = requiredSource(url, tools);
  const wait = url.query.get("optional");
  if (wait === undefined) return source;
  const waitMs = durationMs.parse([wait]);
  if (waitMs !== undefined) return new OptionalSource(source, { clock: tools.clock, waitMs });
  throw badSource(url.name, `expected ${durationMs.expected} after optional=, found "${wait}"`);
}

function requiredSource(url: SourceUrl, tools: SourceTools): Source {
  const make = Object.hasOwn(schemes, url.scheme) ? schemes[url.scheme] : undefined;
  if (make !== undefined) return make(url, tools);
  throw badSource(url.name, `unknown scheme ${url.scheme}; use one of ${Object.keys(schemes).join(", ")}`);
}
