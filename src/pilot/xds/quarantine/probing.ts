import type { Config, ConfigId } from "../../../config/config.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Verdict } from "../../../xds/subscription/verdict.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Catalogue } from "../catalogue.ts";
import type { SubstitutedCatalogues } from "./substituted-catalogues.ts";
import type { ProbeBudget } from "./probe-budget.ts";
import type { ServedCatalogues } from "./served-catalogues.ts";

/** The proxy gave no verdict: it disconnected, or it did not answer in time. */
export type ProbeVerdict = Exclude<Verdict, { readonly type: "pending" }> | { readonly type: "none" };

/** A proxy that has not answered a probe after this time has no verdict. Envoy withholds an ACK while clusters warm. */
const probeTimeoutMs = 10_000;

export interface ProbingOptions {
  readonly clock: Clock;
  readonly served: ServedCatalogues;
  readonly budget: ProbeBudget;
  readonly catalogues: SubstitutedCatalogues;
  /** Runs work while no push runs. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
}

/** Tries one mesh after the other on one connected proxy. */
export class Probing {
  readonly #options: ProbingOptions;
  readonly #connection: Connection<Proxy>;
  #catalogue: Catalogue | undefined;
  #cancelled = false;
  #check: () => void = () => undefined;

  constructor(connection: Connection<Proxy>, options: ProbingOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** The proxy has sent an ACK or NACK, or is gone. */
  answered(connection: Connection<Proxy>): void {
    if (connection === this.#connection) this.#check();
  }

  /** Serves the mesh with these substitutes to the proxy, and waits for its verdict. */
  async probe(substitutes: ReadonlyMap<ConfigId, Config | undefined>): Promise<ProbeVerdict> {
    const { clock, served, catalogues, inTurn, budget } = this.#options;
    await budget.take();
    await inTurn(async () => {
      this.#catalogue = await catalogues.update(this.#catalogue, substitutes);
      served.startTrial(this.#connection.client, this.#catalogue);
      this.#connection.push({ reasons: new Map([["quarantine", 1]]), startedAt: clock.now() });
    });
    return this.#until(() => {
      const { verdict } = this.#connection;
      return verdict.type === "pending" ? undefined : verdict;
    });
  }

  /** Waits no longer. */
  cancel(): void {
    this.#cancelled = true;
    this.#check();
  }

  /** The catalogue of the last probe, with all its parts. From now on it belongs to the caller. */
  takeCatalogue(): Catalogue | undefined {
    const catalogue = this.#catalogue;
    this.#catalogue = undefined;
    return catalogue;
  }

  /** The proxy gets the mesh of its class again with the next push. */
  end(): void {
    const { served, catalogues } = this.#options;
    served.endTrial();
    if (this.#catalogue !== undefined) catalogues.drop(this.#catalogue);
  }

  #until(verdictNow: () => ProbeVerdict | undefined): Promise<ProbeVerdict> {
    return new Promise((resolve) => {
      const settle = (verdict: ProbeVerdict) => {
        this.#check = () => undefined;
        cancel();
        resolve(verdict);
      };
      const cancel = this.#options.clock.after(probeTimeoutMs, () => settle({ type: "none" }));
      this.#check = () => {
        const verdict = this.#cancelled || this.#connection.closed ? ({ type: "none" } as const) : verdictNow();
        if (verdict !== undefined) settle(verdict);
      };
      this.#check();
    });
  }
}
