import type { Issue } from "../../../config/issue.ts";
import { overLimit } from "../../../lib/bounded/limit.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import { type Applications, countInstances, hashcodeOf, noApplications, withListing } from "./applications.ts";
import type { EurekaInstance } from "./eureka-instance.ts";
import { eurekaLimits } from "./eureka-limits.ts";
import type { EurekaServer } from "./eureka-server.ts";

/** What the cluster knows, and how we know it. */
export interface Look {
  readonly applications: Applications;
  /** Those of which it was said that they are gone; others are merely not listed any more. */
  readonly gone: readonly EurekaInstance[];
  /** What could not be read, by application. */
  readonly issues: ReadonlyMap<string, readonly Issue[]>;
}

export interface EurekaClusterOptions {
  readonly deltas: boolean;
  /** How many instances are taken, those included that cannot be read. */
  readonly maxInstances?: number;
}

/**
 * Servers that replicate one registry. One is asked as long as it answers, then the next. What a server was once asked
 * for whole is brought up to date by what it says changed; where its hash code does not confirm that, by the whole.
 */
export class EurekaCluster {
  readonly #servers: readonly EurekaServer[];
  #at = 0;
  /** What the server that is asked knew last; undefined where it has to be asked for everything. */
  #last: Look | undefined;
  #deltas: boolean;
  readonly #maxInstances: number;

  constructor(servers: readonly EurekaServer[], { deltas, maxInstances }: EurekaClusterOptions) {
    this.#servers = servers;
    this.#maxInstances = maxInstances ?? eurekaLimits.instances.most;
    this.#deltas = deltas;
  }

  /** Rejects when no server answers, with what each of them failed by. */
  async look(signal: AbortSignal): Promise<Look> {
    return this.#ask(
      async (server) => (await this.#update(server, signal)) ?? (await this.#everything(server, signal)),
    );
  }

  /** The same, by asking for everything. */
  async lookAtAll(signal: AbortSignal): Promise<Look> {
    return this.#ask((server) => this.#everything(server, signal));
  }

  async #ask(question: (server: EurekaServer) => Promise<Look>): Promise<Look> {
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

  /** Undefined when what changed of late is not all that changed since the last look, or cannot be had. */
  async #update(server: EurekaServer, signal: AbortSignal): Promise<Look | undefined> {
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

  /** Deltas add up, so that the whole is counted after each. */
  #bounded(look: Look, { url }: EurekaServer): Look {
    const unreadable = look.issues.values().reduce((sum, { length }) => sum + length, 0);
    const instances = countInstances(look.applications) + unreadable;
    if (instances <= this.#maxInstances) return look;
    throw overLimit(`${url}: the registry`, this.#maxInstances, "instances", instances);
  }

  async #everything(server: EurekaServer, signal: AbortSignal): Promise<Look> {
    const listing = await server.all(signal);
    return { applications: withListing(noApplications, listing), gone: [], issues: listing.issues };
  }
}
