import type { Config, ConfigId } from "../../../config/config.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import type { QuarantineObserver } from "./observer.ts";
import type { ServedCatalogues } from "./served-catalogues.ts";
import type { SubstitutedCatalogues } from "./substituted-catalogues.ts";

export interface QuarantineOptions {
  readonly clock: Clock;
  readonly served: ServedCatalogues;
  readonly catalogues: SubstitutedCatalogues;
  readonly connections: () => Iterable<Connection<Proxy>>;
  /** Runs work while no push runs. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Pushes to these connections: their meshes may have changed. */
  readonly repush: (connections: Iterable<Connection<Proxy>>) => void;
  /** The current version of an object. */
  readonly currentOf: (id: ConfigId) => Config | undefined;
  /** The replacement that proxies get for a refused object. `accepted` is the version that they accepted before, if any. */
  readonly insteadOf: (id: ConfigId, refused: Config | undefined, accepted: Config | undefined) => Replacement;
  /** All texts in an object, for comparison with the words of a proxy. */
  readonly textOf: (config: Config) => string;
  readonly observer: QuarantineObserver;
}
