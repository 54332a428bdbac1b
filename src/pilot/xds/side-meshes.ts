import { assert } from "../../lib/assert.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import type { Staging } from "../registry/rollout/staging.ts";
import { Catalogue, type GeneratorProblem } from "./catalogue.ts";
import type { Generator } from "./generator.ts";
import type { XdsObserver } from "./observer.ts";
import { Quarantine } from "./quarantine/quarantine.ts";
import type { QuarantineOptions } from "./quarantine/quarantine-options.ts";
import { ServedCatalogues } from "./quarantine/served-catalogues.ts";
import { SubstitutedCatalogues, type Substitutes, type Substitution } from "./quarantine/substituted-catalogues.ts";
import { type AskGate, nextOf } from "./rollout/staged-rollout.ts";
import { StagedRollouts } from "./rollout/staged-rollouts.ts";

/** The objects of users, for the quarantine. */
interface QuarantineSource extends Pick<QuarantineOptions, "currentOf" | "insteadOf" | "textOf"> {
  /** Opens the mesh with other versions of some objects. */
  readonly open: () => Substitution;
}

/** Changes that arrive in waves, and the gates between the waves. */
interface RolloutSource extends Pick<QuarantineSource, "open"> {
  readonly staging: Staging;
  readonly ask: AskGate;
}

export interface SideMeshSources {
  /** Keeps objects that proxies refuse away from these proxies, if set. */
  readonly quarantine?: QuarantineSource;
  /** Stages changes, if set. */
  readonly rollouts?: RolloutSource;
}

export interface SideMeshOptions extends SideMeshSources {
  readonly clock: Clock;
  readonly turn: () => Promise<void>;
  readonly generators: readonly Generator[];
  readonly onProblem: (problem: GeneratorProblem) => void;
  readonly observer: XdsObserver;
  readonly splitFrom?: number;
  readonly connections: () => Iterable<Connection<Proxy>>;
  /** Runs work while no push runs. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  readonly repush: (connections: Iterable<Connection<Proxy>>, reason: string) => void;
  readonly isQueued: (connection: Connection<Proxy>) => boolean;
  /** Resolves when the published context contains every update so far. */
  readonly caughtUp: () => Promise<void>;
}

/** The meshes beside that of the users: without refused objects, or with staged changes. */
export class SideMeshes {
  readonly served: ServedCatalogues;
  readonly quarantine: Quarantine | undefined;
  readonly rollouts: StagedRollouts | undefined;
  readonly #catalogues: SubstitutedCatalogues;
  readonly #staging: Staging | undefined;

  constructor(main: Catalogue, options: SideMeshOptions) {
    const { clock, turn, generators, onProblem, repush, quarantine, rollouts } = options;
    this.served = new ServedCatalogues(main, options);
    const create = (push: PushContext) =>
      new Catalogue(
        generators,
        push,
        onProblem,
        () => clock.now(),
        (key) => main.wholeSetOf(key),
      );
    const open = () => {
      const source = quarantine ?? rollouts;
      assert(source !== undefined, "only the quarantine and rollouts need another mesh");
      return source.open();
    };
    this.#catalogues = new SubstitutedCatalogues({ main, open, create, turn });
    const common = { ...options, served: this.served, catalogues: this.#catalogues };
    const kept =
      quarantine && new Quarantine({ ...common, ...quarantine, repush: (each) => repush(each, "quarantine") });
    this.quarantine = kept;
    this.#staging = rollouts?.staging;
    this.rollouts =
      rollouts &&
      new StagedRollouts({
        ...common,
        ...rollouts,
        alternatives: () => kept?.meshes ?? [],
        repush: (each) => repush(each, "rollout"),
        accepted: (ids) => void kept?.acceptedByAll(ids),
      });
  }

  get catalogues(): readonly Catalogue[] {
    return this.#catalogues.all;
  }

  /** The objects that differ for a proxy from those of the users' mesh: refused ones, and those of its wave. */
  substitutesFor(proxy: Proxy): Substitutes {
    const { name, hasCandidate } = this.served.meshOf(proxy);
    const own = name === undefined ? undefined : new Map(this.quarantine?.meshes ?? []).get(name);
    const current = hasCandidate ? this.rollouts?.current : undefined;
    return new Map([...(own ?? []), ...(current === undefined ? [] : nextOf(current.change))]);
  }

  /** Proxies have a mesh from now on, which a staged change does not replace at once. */
  open(): void {
    this.#staging?.open();
    this.rollouts?.opened();
  }

  /** A push contains all changes so far. */
  captured(): void {
    this.quarantine?.captured();
  }

  /** The users' mesh was published. Brings all others to the same state. */
  async published(): Promise<void> {
    await this.quarantine?.published();
    await this.rollouts?.published();
  }

  /** A rollout comes first: if it ends with a rejection, there is nothing to search for. */
  answered(connection: Connection<Proxy>, verdict: "ack" | "nack"): void {
    this.rollouts?.answered(connection, verdict);
    this.quarantine?.answered(connection, verdict);
  }

  gone(connection: Connection<Proxy>): void {
    this.rollouts?.gone(connection);
    this.quarantine?.gone(connection);
  }

  stop(): void {
    this.quarantine?.stop();
    this.rollouts?.stop();
  }
}
