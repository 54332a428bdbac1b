import type { ConfigId } from "../../../config/config.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Staging } from "../../registry/rollout/staging.ts";
import type { ServedCatalogues } from "../quarantine/served-catalogues.ts";
import type { SubstitutedCatalogues } from "../quarantine/substituted-catalogues.ts";
import type { CandidatesOptions } from "./candidates.ts";
import type { AskGate, RolloutObserver } from "./staged-rollout.ts";

export interface StagedRolloutsOptions extends Pick<CandidatesOptions, "alternatives"> {
  readonly clock: Clock;
  readonly staging: Staging;
  readonly served: ServedCatalogues;
  readonly catalogues: SubstitutedCatalogues;
  readonly connections: () => Iterable<Connection<Proxy>>;
  /** Runs work while no push runs. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Pushes to these connections: their meshes may have changed. */
  readonly repush: (connections: Iterable<Connection<Proxy>>) => void;
  /** Whether a push waits in the queue for this connection. */
  readonly isQueued: (connection: Connection<Proxy>) => boolean;
  /** Asks the gate of a rollout. */
  readonly ask: AskGate;
  /** Resolves when the published context contains every update so far. */
  readonly caughtUp: () => Promise<void>;
  /** A rollout has ended everywhere: no class refuses these objects any more. */
  readonly accepted: (ids: Iterable<ConfigId>) => void;
  readonly observer: RolloutObserver;
}
