import type { Issue } from "../../../config/issue.ts";
import { overLimit } from "../../../lib/bounded/limit.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import { type Applications, countInstances, hashcodeOf, noApplications, withListing } from "./applications.ts";
import type { EurekaInstance } from "./eureka-instance.ts";
import { eurekaLimits } from "./eureka-limits.ts";
import type { EurekaServer } from "./eureka-server.ts";

/** The registry content as one answer shows it. */
export interface RegistryView {
  readonly applications: Applications;
  /** Instances that the server reported as deleted. Others are only missing from the listing. */
  readonly gone: readonly EurekaInstance[];
  /** Read problems, by application. */
  readonly issues: ReadonlyMap<string, readonly Issue[]>;
}

export interface EurekaClusterOptions {
  readonly deltas: boolean;
  /** The most instances that the source accepts, including unreadable ones. */
  readonly maxInstances?: number;
}

/**
 * Servers that replicate one registry. The cluster queries one server until it fails, then the next. After one full
 * fetch it applies deltas. If the hash code does not confirm a delta, it fetches everything again.
 */
export class EurekaCluster {
  readonly #servers: readonly EurekaServer[];
  #at = 0;
  /** The last known content of the current server. Undefined if a full fetch is needed. */
  #last: RegistryView | undefined;
  #deltas: boolean;
  readonly #maxInstances: number;

  constructor(servers: readonly EurekaServer[], { deltas, maxInstances }: EurekaClusterOptions) {
    this.#servers = servers;
    this.#maxInstances = maxInstances ?? eurekaLimits.instances.most;
    this.#deltas = deltas;
  }

  /** Rejects when no server answers, with the error of each server. */
  async look(signal: AbortSignal): Promise<RegistryView> {
    return this.#ask(
      async (server) => (await this.#update(server, signal)) ?? (await this.#everything(server, signal)),
    );
  }

  /** Like {@link look}, with a full fetch. */
  async lookAtAll(signal: AbortSignal): Promise<RegistryView> {
    return this.#ask((server) => this.#everything(server, signal));
  }

  async #ask(question: (server: EurekaServer) => Promise<RegistryView>): Promise<RegistryView> {
    const problems: string[] = [];
    for (let turn = 0; turn < this.#servers.length; turn += 1) {
      const server = this.#servers[this.#at % this.#servers.length];
      if (server === undefined) break;
      try {
        this.#last = this.#bounded(await question(server), server);
        return this.#last;
      } catch (thrown) {
        problems.push(errorFrom(thrown).message);
        this.#at += 1;
        this.#last = undefined;
      }
    }
    throw new MeshError("source-unavailable", problems.join("; "));
  }

  /** Undefined if the delta is incomplete since the last look, or unavailable. */
  async #update(server: EurekaServer, signal: AbortSignal): Promise<RegistryView | undefined> {
    const last = this.#last;
    if (last === undefined || !this.#deltas) return undefined;
    const changes = await server.changes(signal);
    if (changes === undefined) {
      this.#deltas = false;
      return undefined;
    }
    const applications = withListing(last.applications, changes);
    if (changes.hashcode !== hashcodeOf(applications)) return undefined;
    const gone = changes.listed.filter((listed) => listed.gone).map(({ instance }) => instance);
    return { applications, gone, issues: last.issues };
  }

  /** Counts all instances after each delta, because deltas add up. */
  #bounded(look: RegistryView, { url }: EurekaServer): RegistryView {
    const unreadable = look.issues.values().reduce((sum, { length }) => sum + length, 0);
    const instances = countInstances(look.applications) + unreadable;
    if (instances <= this.#maxInstances) return look;
    throw overLimit(`${url}: the registry`, this.#maxInstances, "instances", instances);
  }

  async #everything(server: EurekaServer, signal: AbortSignal): Promise<RegistryView> {
    const listing = await server.all(signal);
    return { applications: withListing(noApplications, listing), gone: [], issues: listing.issues };
  }
}
