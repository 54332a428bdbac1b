import type { Config, ConfigId } from "../../../config/config.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import { evidenceOn } from "./evidence.ts";
import type { Refusal, Refusals } from "./refusals.ts";
import type { Rollouts } from "./rollouts.ts";
import { covers, nodeScope, nodeScopeIdOf, type Scope } from "./scope.ts";
import type { Found } from "./search.ts";
import type { EndedSearch } from "./searches.ts";
import type { Trust } from "./trust.ts";

export interface JudgementOptions {
  readonly clock: Clock;
  readonly refusals: Pick<Refusals, "of" | "scopes">;
  readonly rollouts: Pick<Rollouts, "of">;
  readonly trust: Pick<Trust, "contradicted" | "isTrusted">;
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
 * witness. Others that accept the object limit the refusal to the first one, unless more proxies refuse the object than
 * accept it. A second proxy that refuses it confirms it. So a few proxies that are alone with their verdict cannot keep
 * an object from their class.
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
    const onItsWay = this.#options.rollouts.of(scope.classId)?.objects ?? new Map<ConfigId, Config | undefined>();
    const accepted = [...found.list.keys()].filter(
      (id) => !offenders.has(id) && before.has(id) && (scope.node !== undefined || !onItsWay.has(id)),
    );
    const contradicted = accepted.flatMap((id) => {
      const refusal = before.get(id);
      const isSame = refusal?.version === found.pinned.get(id)?.version && refusal?.retryAt === undefined;
      return isSame && refusal !== undefined && refusal.node !== connection.client.nodeId
        ? this.#limited(scope, refusal)
        : [];
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
      if (before?.version === version && before !== undefined && before.retryAt === undefined) {
        const confirmedBy = before.confirmedBy ?? (before.node === node ? undefined : node);
        return { scope, refusal: { ...before, confirmedBy } };
      }
      const instead = this.insteadOf(scope, id, found.list.get(id));
      const since = this.#options.clock.now();
      const fresh = { id, version, reason, since, node, rejected, probes, instead, confirmedBy: undefined };
      return this.#placed(search, fresh);
    });
  }

  /** A new refusal holds for the class, or for the proxy alone if others have accepted the object. */
  #placed({ scope, found }: ConclusiveSearch, refusal: Refusal): Judged["refused"][number] {
    const { id, node } = refusal;
    const alike = this.#refusedAloneBy(scope, refusal);
    const others = scope.node === undefined ? this.#othersWith(scope, refusal, found) : [];
    const { accepted, refused, asked } = evidenceOn(id, others, found.offenders.length === 1);
    if (accepted.length > 0 && accepted.length > alike.length) {
      this.#options.trust.contradicted(node);
      return { scope: nodeScope(scope, node), refusal };
    }
    const confirmedBy = alike[0] ?? (refused.length * 2 > asked ? refused[0] : undefined);
    return { scope, refusal: { ...refusal, confirmedBy } };
  }

  /** Other trusted proxies that get the refused version. While the class refuses the object, only a rollout brings it. */
  #othersWith(scope: Scope, { id, node }: Refusal, { pinned }: Found): readonly Connection<Proxy>[] {
    const { connections, currentOf, refusals, rollouts, trust } = this.#options;
    const rollout = rollouts.of(scope.classId);
    const isRolledOut = rollout?.objects.get(id) === pinned.get(id) && rollout?.objects.has(id) === true;
    if (!isRolledOut && (refusals.of(scope.id).has(id) || pinned.get(id) !== currentOf(id))) return [];
    return [...connections()].filter(
      ({ client }) =>
        covers(scope, client) &&
        client.nodeId !== node &&
        trust.isTrusted(client.nodeId) &&
        !refusals.of(nodeScopeIdOf(scope.classId, client.nodeId)).has(id) &&
        (!isRolledOut || rollout.nodes.has(client.nodeId)),
    );
  }

  /** Other trusted proxies of the class that refuse the same version alone. */
  #refusedAloneBy({ classId }: Scope, { id, version, node }: Refusal): readonly string[] {
    const { refusals: all, trust } = this.#options;
    return all.scopes.flatMap(({ scope, refusals }) => {
      const isAlone = scope.classId === classId && scope.node !== undefined && scope.node !== node;
      if (!isAlone || scope.node === undefined || !trust.isTrusted(scope.node)) return [];
      return refusals.has(id) && refusals.get(id)?.version === version ? [scope.node] : [];
    });
  }

  /** Another proxy has accepted the object. The first one goes on without it, if it is still connected. */
  #limited(scope: Scope, refusal: Refusal): Judged["refused"] {
    this.#options.trust.contradicted(refusal.node);
    const isConnected = [...this.#options.connections()].some(({ client }) => client.nodeId === refusal.node);
    return isConnected ? [{ scope: nodeScope(scope, refusal.node), refusal }] : [];
  }
}
