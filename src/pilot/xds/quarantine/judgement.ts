import type { Config, ConfigId } from "../../../config/config.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import { evidenceOn } from "./evidence.ts";
import type { Refusal, Refusals } from "./refusals.ts";
import { covers, nodeScope, type Scope } from "./scope.ts";
import type { Found } from "./search.ts";
import type { EndedSearch } from "./searches.ts";
import type { Trust } from "./trust.ts";

export interface JudgementOptions {
  readonly clock: Clock;
  readonly refusals: Pick<Refusals, "of" | "scopes">;
  readonly trust: Pick<Trust, "contradicted">;
  readonly connections: () => Iterable<Connection<Proxy>>;
  readonly currentOf: (id: ConfigId) => Config | undefined;
  readonly insteadOf: (id: ConfigId, refused: Config | undefined, accepted: Config | undefined) => Replacement;
}

/** The consequences of a search. */
interface Judged {
  readonly refused: readonly { readonly scope: Scope; readonly refusal: Refusal }[];
  /** Objects that were refused so far, in the version that the proxy has accepted now. */
  readonly accepted: ReadonlyMap<ConfigId, Config | undefined>;
}

type ConclusiveSearch = EndedSearch & { readonly found: Found };

/**
 * Decides for which proxies the result of a search holds. One proxy decides for its class as long as it is the only
 * witness. A second proxy that accepts the object limits the refusal to the first one. A second proxy that refuses it
 * confirms it. So a proxy that is alone with its verdict cannot keep an object from its class.
 */
export class Judgement {
  readonly #options: JudgementOptions;

  constructor(options: JudgementOptions) {
    this.#options = options;
  }

  on(search: ConclusiveSearch): Judged {
    const { scope, found, connection } = search;
    const offenders = new Set(found.offenders.map(({ suspect }) => suspect));
    const before = this.#options.refusals.of(scope.id);
    const accepted = [...found.list.keys()].filter((id) => !offenders.has(id) && before.has(id));
    const contradicted = accepted.flatMap((id) => {
      const refusal = before.get(id);
      const isSame = refusal !== undefined && refusal.version === found.pinned.get(id)?.version;
      return isSame && refusal.node !== connection.client.nodeId ? this.#limited(scope, refusal) : [];
    });
    return {
      refused: [...this.#refusalsOf(search), ...contradicted],
      accepted: new Map(accepted.map((id) => [id, found.pinned.get(id)])),
    };
  }

  /** Objects in place of a refused one. An accepted version stays in place while newer versions are refused. */
  insteadOf(scope: Scope, id: ConfigId, accepted: Config | undefined): Replacement {
    const { refusals, insteadOf, currentOf } = this.#options;
    const before = refusals.of(scope.id).get(id)?.instead;
    return before?.type === "earlier version" ? before : insteadOf(id, currentOf(id), accepted);
  }

  #refusalsOf(search: ConclusiveSearch): Judged["refused"] {
    const { scope, found, probes, rejected, connection } = search;
    const { nodeId: node } = connection.client;
    return found.offenders.map(({ suspect: id, reason }) => {
      const before = this.#options.refusals.of(scope.id).get(id);
      const version = found.pinned.get(id)?.version;
      if (before?.version === version && before !== undefined) {
        const confirmedBy = before.confirmedBy ?? (before.node === node ? undefined : node);
        return { scope, refusal: { ...before, confirmedBy } };
      }
      const instead = this.insteadOf(scope, id, found.list.get(id));
      const since = this.#options.clock.now();
      const fresh = { id, version, reason, since, node, rejected, probes, instead, confirmedBy: undefined };
      return this.#placed(search, fresh);
    });
  }

  /** A new refusal holds for the class, or for the proxy alone if another one has accepted the object. */
  #placed({ scope, found }: ConclusiveSearch, refusal: Refusal): Judged["refused"][number] {
    const { connections, trust } = this.#options;
    const alike = this.#refusedAloneBy(scope, refusal);
    if (alike !== undefined) return { scope, refusal: { ...refusal, confirmedBy: alike } };
    // Other proxies have another version while the class refuses the object.
    if (scope.node !== undefined || this.#options.refusals.of(scope.id).has(refusal.id)) return { scope, refusal };
    if (found.pinned.get(refusal.id) !== this.#options.currentOf(refusal.id)) return { scope, refusal };
    const others = [...connections()].filter(({ client }) => covers(scope, client) && client.nodeId !== refusal.node);
    const evidence = evidenceOn(refusal.id, others, found.offenders.length === 1);
    if (evidence.type === "none") return { scope, refusal };
    if (evidence.type === "refused") return { scope, refusal: { ...refusal, confirmedBy: evidence.node } };
    trust.contradicted(refusal.node);
    return { scope: nodeScope(scope, refusal.node), refusal };
  }

  /** Another proxy of the class that refuses the same version alone. Two are enough for the class. */
  #refusedAloneBy({ classId }: Scope, { id, version, node }: Refusal): string | undefined {
    const alone = this.#options.refusals.scopes.find(
      ({ scope, refusals }) =>
        scope.classId === classId &&
        scope.node !== undefined &&
        scope.node !== node &&
        refusals.get(id)?.version === version &&
        refusals.has(id),
    );
    return alone?.scope.node;
  }

  /** Another proxy has accepted the object. The first one goes on without it, if it is still connected. */
  #limited(scope: Scope, refusal: Refusal): Judged["refused"] {
    this.#options.trust.contradicted(refusal.node);
    const isConnected = [...this.#options.connections()].some(({ client }) => client.nodeId === refusal.node);
    return isConnected ? [{ scope: nodeScope(scope, refusal.node), refusal }] : [];
  }
}
