import { eventually } from "../../../../src/testing/eventually.ts";
import type { Random } from "../../../../src/testing/random/random.ts";
import type { EndpointJudge } from "./zookeeper-judge.ts";
import { providerPath, type ZooKeeperWriter } from "./zookeeper-writer.ts";

/** One provider of many. */
interface Provider {
  readonly cluster: string;
  readonly address: string;
  readonly path: string;
  registered: boolean;
  /** How often its going was begun. */
  departures: number;
}

export interface RegistrySize {
  /** Of the names of its interfaces. */
  readonly prefix: string;
  readonly interfaces: number;
  readonly providers: number;
}

/** A Dubbo registry with many providers, some of which come and go, and a memory of what they did. */
export class ChurningRegistry {
  readonly #writer: ZooKeeperWriter;
  readonly #providers: readonly Provider[];

  constructor(writer: ZooKeeperWriter, { prefix, interfaces, providers }: RegistrySize) {
    this.#writer = writer;
    this.#providers = Array.from({ length: providers }, (_, index) => {
      const name = `com.acme.${prefix}${index % interfaces}`;
      const address = `10.1.${index >> 8}.${index & 255}:20880`;
      return {
        cluster: `outbound|20880||${name.toLowerCase()}`,
        address,
        path: `/dubbo${providerPath(name, address)}`,
        registered: false,
        departures: 0,
      };
    });
  }

  async registerAll(): Promise<void> {
    for (const provider of this.#providers) await this.#toggle(provider, true);
  }

  /** Providers come and go, one after the other; every second one stays as it is. */
  async churn(times: number, random: Random): Promise<void> {
    const unsteady = this.#providers.filter((_, index) => index % 2 === 0);
    for (let time = 0; time < times; time += 1) {
      const provider = random.pick(unsteady);
      await this.#toggle(provider, !provider.registered);
    }
  }

  /** Resolves when the proxy holds what is registered, as ZooKeeper itself tells it. */
  async shown(judge: EndpointJudge): Promise<void> {
    const truth = await this.#truth();
    const differing = () =>
      [...truth].filter(([cluster, addresses]) => judge.endpoints(cluster)?.join() !== addresses.join());
    const same = () => differing().length === 0;
    await eventually("the proxy holds what is registered", same, { seconds: 60 }).catch((cause: unknown) => {
      throw new Error(
        `these are not as registered: ${differing()
          .map(([cluster]) => cluster)
          .join()}`,
        { cause },
      );
    });
  }

  /** Endpoints that went from a proxy more often than they went from the registry. */
  flapped(judge: EndpointJudge): readonly string[] {
    return this.#providers.flatMap(({ cluster, address, departures }) => {
      const seen = judge.history(cluster).map((endpoints) => endpoints.has(address));
      const losses = seen.filter((present, index) => !present && seen[index - 1]).length;
      return losses > departures ? [`${address} went ${losses} times instead of ${departures}`] : [];
    });
  }

  async #toggle(provider: Provider, registered: boolean): Promise<void> {
    if (!registered) provider.departures += 1;
    await (registered ? this.#writer.register(provider.path) : this.#writer.remove(provider.path));
    provider.registered = registered;
  }

  /** The addresses by cluster, sorted. */
  async #truth(): Promise<ReadonlyMap<string, readonly string[]>> {
    const truth = new Map<string, readonly string[]>();
    for (const [cluster, providers] of Map.groupBy(this.#providers, (provider) => provider.cluster)) {
      const [first] = providers;
      const names = await this.#writer.children(first?.path.slice(0, first.path.lastIndexOf("/")) ?? "");
      const addresses = names.flatMap((name) => /^dubbo:\/\/([^/]+)\//u.exec(decodeURIComponent(name))?.[1] ?? []);
      truth.set(cluster, addresses.toSorted());
    }
    return truth;
  }
}
