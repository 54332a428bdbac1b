import type { Collection, Problem } from "../collection/collection.ts";
import type { Config, ConfigId, Origin } from "../config/config.ts";
import type { SourceHealth, SourceIssues } from "../galley/processor/feed.ts";
import type { Clash } from "../galley/processor/processor.ts";
import type { Conflict } from "../pilot/model/conflict.ts";
import type { Proxy } from "../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../pilot/model/push-context.ts";
import type { GeneratorProblem, PartFacts } from "../pilot/xds/catalogue.ts";
import type { Connection } from "../xds/connection.ts";
import type { SourceReport } from "./galley/sources.ts";

/** Where the servers listen, `off` where they do not; empty while they have not started. */
export interface Addresses {
  readonly xds: string;
  readonly "xds-tls": string;
  readonly http: string;
  readonly metrics: string;
  readonly webhook: string;
  readonly mcp: string;
  readonly ctrlz: string;
}

/** What Galley's pages show, as the composition root hands it over: questions, so that answers are of the moment. */
export interface GalleyState {
  /** What leaves Galley, by collection. */
  readonly configs: ReadonlyMap<string, Collection<Config>>;
  readonly sourceHealth: () => readonly SourceHealth[];
  /** In order of precedence. */
  readonly sources: () => readonly SourceReport[];
  readonly issues: () => Iterable<SourceIssues>;
  readonly clashes: () => readonly Clash[];
  /** Of every graph in this process. */
  readonly problems: () => readonly Problem[];
  /** Pilot's, where it is in this process. */
  readonly generatorProblems: () => Iterable<GeneratorProblem>;
}

/** What Pilot's pages show. */
export interface PilotState {
  readonly connections: () => Iterable<Connection<Proxy>>;
  readonly originOf: (id: ConfigId) => Origin | undefined;
  /** What everything that proxies get is made from. */
  readonly published: () => PushContext;
  /** Whether nothing is on its way into a push. */
  readonly settled: () => boolean;
  /** All that is kept for proxies. */
  readonly parts: () => Iterable<PartFacts>;
  /** In what these proxies are sent. */
  readonly conflictsAmong: (proxies: Iterable<Proxy>) => Iterable<readonly Conflict[]>;
  /** Makes everything anew for everybody. */
  readonly pushAll: () => void;
  /** The time of day at a moment of the clock. */
  readonly timeOf: (clockMs: number) => Date;
}
