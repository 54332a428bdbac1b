import type { Collection, Problem } from "../collection/collection.ts";
import type { Config, ConfigId, Origin } from "../config/config.ts";
import type { SourceHealth, SourceIssues } from "../galley/processor/feed.ts";
import type { DuplicateObject } from "../galley/processor/processor.ts";
import type { Conflict } from "../pilot/model/conflict.ts";
import type { Proxy } from "../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../pilot/model/push-context.ts";
import type { TypedEffect } from "../pilot/xds/patch-effects.ts";
import type { GeneratorProblem, PartFacts } from "../pilot/xds/catalogue.ts";
import type { QuarantineReport } from "../pilot/xds/quarantine/report.ts";
import type { Connection } from "../xds/connection.ts";
import type { SourceReport } from "./galley/sources.ts";

/** The listen addresses of the servers, `off` for disabled ones. Empty before the start. */
export interface Addresses {
  readonly xds: string;
  readonly "xds-tls": string;
  readonly http: string;
  readonly metrics: string;
  readonly webhook: string;
  readonly mcp: string;
  readonly ctrlz: string;
}

/** The data of Galley's pages, from the composition root. The members are functions, so that answers are current. */
export interface GalleyState {
  /** Galley's output, by collection. */
  readonly configs: ReadonlyMap<string, Collection<Config>>;
  readonly sourceHealth: () => readonly SourceHealth[];
  /** In order of precedence. */
  readonly sources: () => readonly SourceReport[];
  readonly issues: () => Iterable<SourceIssues>;
  readonly clashes: () => readonly DuplicateObject[];
  /** Of every graph in this process. */
  readonly problems: () => readonly Problem[];
  /** Pilot's problems, if Pilot is in this process. */
  readonly generatorProblems: () => Iterable<GeneratorProblem>;
}

/** The data of Pilot's pages. */
export interface PilotState {
  readonly connections: () => Iterable<Connection<Proxy>>;
  readonly originOf: (id: ConfigId) => Origin | undefined;
  /** The push context that all proxy resources are built from. */
  readonly published: () => PushContext;
  /** Whether no change waits for a push. */
  readonly settled: () => boolean;
  /** All resource parts that are kept for proxies. */
  readonly parts: () => Iterable<PartFacts>;
  /** The conflicts in the resources of these proxies. */
  readonly conflictsAmong: (proxies: Iterable<Proxy>) => Iterable<readonly Conflict[]>;
  /** The effects of EnvoyFilters on the resources of a proxy. */
  readonly patchesFor: (proxy: Proxy) => readonly TypedEffect[];
  /** The objects that proxies refuse; undefined if the server keeps no object away. */
  readonly quarantine: () => QuarantineReport | undefined;
  /** Rebuilds everything and pushes to all proxies. */
  readonly pushAll: () => void;
  /** The wall-clock time of a clock value. */
  readonly timeOf: (clockMs: number) => Date;
}
