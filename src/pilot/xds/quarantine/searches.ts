import type { Config, ConfigId } from "../../../config/config.ts";
import { inOtherBytes } from "../../../config/credential/other-bytes.ts";
import { errorFrom } from "../../../lib/errors.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import type { Catalogue } from "../catalogue.ts";
import { rejectedIn } from "../status/rejections.ts";
import { suspectsNamedIn } from "./hints.ts";
import type { QuarantineObserver } from "./observer.ts";
import { ProbeBudget } from "./probe-budget.ts";
import { Probing, type ProbingOptions } from "./probing.ts";
import type { RejectedResources, ReportedSearch } from "./report.ts";
import type { Scope } from "./scope.ts";
import { type Found, Search } from "./search.ts";
import type { SuspectList } from "./suspects.ts";

/** A search that waits for its turn. */
export interface Case {
  readonly connection: Connection<Proxy>;
  /** The proxies for which the result holds. */
  readonly scope: Scope;
  /** The lists of suspects, the most likely first. */
  readonly lists: readonly SuspectList[];
  /** The reason why the proxy rejected all suspects together; absent if it is not known to reject them. */
  readonly rejection?: string;
  /** True for a trial of refused objects: a rejection counts only if the proxy repeats it. */
  readonly isTrial?: boolean;
}

/** A search that has ended. */
export interface EndedSearch extends Case {
  /** Undefined if the cause of the rejection was not found. */
  readonly found: Found | undefined;
  /** The proxy rejected a mesh and then accepted it. */
  readonly changedVerdict: boolean;
  readonly probes: number;
  /** The resources that the proxy rejected before. */
  readonly rejected: readonly RejectedResources[];
  /** The epoch of the mesh that was searched. */
  readonly startedAt: number;
}

export interface SearchesOptions extends Omit<ProbingOptions, "budget"> {
  readonly clock: Clock;
  /** The epoch of the content that proxies get now. */
  readonly epoch: () => number;
  readonly currentOf: (id: ConfigId) => Config | undefined;
  /** The replacement, in a probe, for a suspect that the probe does not test. */
  readonly insteadOf: (scope: Scope, id: ConfigId, accepted: Config | undefined) => Replacement;
  /** All texts in an object, for comparison with the words of a proxy. */
  readonly textOf: (config: Config) => string;
  /** Substitutes that are no matter of a search on this proxy, as they are now. */
  readonly othersFor: (next: Case) => () => ReadonlyMap<ConfigId, Config | undefined>;
  /** Whether a rejection is about the current resources of the proxy. */
  readonly isCurrent: (connection: Connection<Proxy>) => boolean;
  /** Uses the result. The proxy still has the content of the last probe. */
  readonly conclude: (ended: EndedSearch) => Promise<void>;
  /** The proxy gets the mesh of its class again. */
  readonly restore: (connection: Connection<Proxy>) => void;
  /** No search waits. */
  readonly idle: () => void;
  readonly observer: QuarantineObserver;
}

/** So many probes in a row send a secret in different bytes. */
const maxLineBreaks = 64;

/** Runs searches, one at a time. At most one search of a class waits or runs. */
export class Searches {
  readonly #options: SearchesOptions;
  readonly #budget: ProbeBudget;
  /** By class. */
  readonly #cases = new Map<string, Case>();
  #probing: Probing | undefined;
  #current: (() => ReportedSearch) | undefined;
  #isRunning = false;
  #stopped = false;
  /** Of the last secret in a probe. */
  #lineBreaks = 0;

  constructor(options: SearchesOptions) {
    this.#options = options;
    this.#budget = new ProbeBudget(options.clock);
  }

  /** The search that waits or runs for this class. */
  of(classId: string): Case | undefined {
    return this.#cases.get(classId);
  }

  has(classId: string): boolean {
    return this.#cases.has(classId);
  }

  get current(): ReportedSearch | undefined {
    return this.#current?.();
  }

  add(added: Case): void {
    if (this.#stopped || this.has(added.scope.classId)) return;
    this.#cases.set(added.scope.classId, added);
    this.#start();
  }

  /** The proxy has sent an ACK or NACK, or is gone. */
  answered(connection: Connection<Proxy>): void {
    this.#probing?.answered(connection);
  }

  /** The catalogue of the current search, after its last probe. From now on it belongs to the caller. */
  takeCatalogue(): Catalogue | undefined {
    return this.#probing?.takeCatalogue();
  }

  /** The proxy of the current search gets the mesh of its class with the next push. */
  endTrial(): void {
    this.#probing?.end();
    this.#probing = undefined;
  }

  /** Ends the current search, and begins no other one. */
  stop(): void {
    this.#stopped = true;
    this.#cases.clear();
    this.#probing?.cancel();
  }

  named(reason: string, suspects: readonly ConfigId[]): ReadonlySet<ConfigId> {
    const { currentOf, textOf } = this.#options;
    return suspectsNamedIn(reason, suspects, (id) => {
      const config = currentOf(id);
      return config === undefined ? id : `${id}\n${textOf(config)}`;
    });
  }

  /**
   * Envoy notes the bytes of a secret before it uses them, and later ignores the same bytes, even if it rejected them.
   * So a probe sends a secret in bytes that the proxy has not seen.
   */
  #inOtherBytes(config: Config): Config | undefined {
    this.#lineBreaks = (this.#lineBreaks % maxLineBreaks) + 1;
    return inOtherBytes(config, this.#lineBreaks);
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#work().finally(() => {
      this.#isRunning = false;
      if (this.#cases.size > 0) this.#start();
    });
  }

  async #work(): Promise<void> {
    for (const [classId, next] of this.#cases) {
      try {
        await this.#run(next);
      } catch (thrown) {
        this.#options.observer.searchFailed(errorFrom(thrown));
      }
      this.#cases.delete(classId);
    }
    if (!this.#stopped) this.#options.idle();
  }

  async #run(next: Case): Promise<void> {
    const { currentOf, insteadOf, epoch, othersFor, isCurrent, conclude, restore, observer, ...options } =
      this.#options;
    const { connection, scope, lists, rejection } = next;
    const { nodeId: node } = connection.client;
    this.#probing = new Probing(connection, { ...options, budget: this.#budget });
    const search = new Search({
      probing: this.#probing,
      currentOf,
      insteadOf: (id, accepted) => insteadOf(scope, id, accepted),
      named: (reason, suspects) => this.named(reason, suspects),
      others: othersFor(next),
      repeats: () => next.isTrial === true && !rejectsSecrets(connection),
      testedAs:
        next.isTrial === true || rejectsSecrets(connection) ? (config) => this.#inOtherBytes(config) : () => undefined,
    });
    this.#current = () => ({ classId: scope.classId, node, suspects: search.suspects, probes: search.probes });
    const rejected = rejectedResources(connection);
    const startedAt = epoch();
    let found: Found | undefined;
    try {
      found = await search.run(lists, isCurrent(connection) ? rejection : undefined);
      const { changedVerdict, probes } = search;
      await conclude({ ...next, found, changedVerdict, rejected, startedAt, probes });
    } finally {
      this.#current = undefined;
      this.endTrial();
      restore(connection);
    }
    const { suspects, probes } = search;
    const offenders = found?.offenders.length ?? 0;
    const inconclusive = found === undefined;
    observer.searchEnded({ node, proxies: scope, suspects: suspects.length, probes, offenders, inconclusive });
  }
}

/** Whether a rejection is about secrets. Envoy accepts the same bytes the second time, because it ignores them. */
function rejectsSecrets(connection: Connection<Proxy>): boolean {
  return rejectedResources(connection).some(({ type }) => type === "SDS");
}

/** The resources that a proxy rejects now. */
function rejectedResources({ subscriptions }: Connection<Proxy>): readonly RejectedResources[] {
  return subscriptions.flatMap(rejectedIn).map(({ type, resources }) => ({ type, resources }));
}
