import type { Collection, Problem } from "../collection/collection.ts";
import type { Config, ConfigId, Origin } from "../config/config.ts";
import type { SourceHealth, SourceIssues } from "../galley/processor/feed.ts";
import type { Clash } from "../galley/processor/processor.ts";
import type { GeneratorProblem } from "../pilot/xds/catalogue.ts";
import type { Connection } from "../pilot/xds/connection.ts";

/** Where the servers listen, `off` where they do not; empty while they have not started. */
export interface Addresses {
  readonly xds: string;
  readonly http: string;
  readonly metrics: string;
  readonly webhook: string;
}

/** What the pages show, as the composition root hands it over: questions, so that answers are of the moment. */
export interface AdminState {
  /** What readiness still waits for; empty when ready. */
  readonly awaited: () => readonly string[];
  readonly addresses: () => Addresses;
  readonly connections: () => Iterable<Connection>;
  /** What leaves Galley, by collection. */
  readonly configs: ReadonlyMap<string, Collection<Config>>;
  readonly sourceHealth: () => readonly SourceHealth[];
  readonly issues: () => Iterable<SourceIssues>;
  readonly clashes: () => readonly Clash[];
  readonly problems: () => readonly Problem[];
  readonly generatorProblems: () => Iterable<GeneratorProblem>;
  readonly originOf: (id: ConfigId) => Origin | undefined;
}
