import { ZooKeeperEnsemble } from "../../support/registry/zookeeper.ts";
import { ZooKeeperWriter } from "../../support/registry/zookeeper-writer.ts";
import { BreakableWay } from "./breakable-way.ts";
import type { Origin, SourceSubject } from "./origin.ts";
import { answersSlowly } from "./slow-way.ts";

const port = 8080;
const constant = ["stays-stock", "stays-price"];

/** A registry of services in a real ZooKeeper, behind a way that can break. */
export class ZooKeeperOrigin implements Origin {
  readonly args = [];
  readonly zookeeper: ZooKeeperEnsemble;
  readonly way: BreakableWay;
  readonly #names = new Set(constant);

  private constructor(zookeeper: ZooKeeperEnsemble, way: BreakableWay) {
    this.zookeeper = zookeeper;
    this.way = way;
  }

  /** There is a backup of the constant services. */
  static async open(): Promise<ZooKeeperOrigin> {
    const zookeeper = await ZooKeeperEnsemble.start();
    const own = Number(zookeeper.addresses[0]?.split(":")[1]);
    const origin = new ZooKeeperOrigin(zookeeper, await BreakableWay.to(own));
    await origin.registerAll();
    await zookeeper.kill(0);
    zookeeper.backup(0);
    await zookeeper.restart(0);
    return origin;
  }

  get source(): string {
    const settings = `layout=curator&host-suffix=.zoo&port=${port}&instance-port=off&session-timeout=2s`;
    return `zookeeper://127.0.0.1:${this.way.port}/services?${settings}`;
  }

  /** Registers everything that should be there, two instances of each service. */
  async registerAll(): Promise<void> {
    // A session of its own: the server may have forgotten all others.
    using writer = await ZooKeeperWriter.connect(this.zookeeper.addresses);
    for (const name of this.#names) {
      for (const index of [1, 2]) {
        const instance = { name, id: `${name}-${index}`, address: `10.2.0.${index}`, port };
        await writer.make(`/services/${name}/${instance.id}`, JSON.stringify(instance));
      }
    }
  }

  async join(generation: number): Promise<string> {
    this.#names.add(`joins-${generation}`);
    await this.registerAll();
    return `outbound|${port}||joins-${generation}.zoo`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.way[Symbol.asyncDispose]();
    await this.zookeeper[Symbol.asyncDispose]();
  }
}

const keeps = "The source is stale and keeps its services. It reads everything again and sends the differences.";

export const zooKeeperSubject: SourceSubject<ZooKeeperOrigin> = {
  name: "a ZooKeeper",
  peers: ["zookeeper"],
  open: () => ZooKeeperOrigin.open(),
  faults: [
    {
      name: "is killed, and starts again",
      effect: keeps,
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: no server answers/u,
      begin: ({ zookeeper }) => zookeeper.kill(0),
      async end({ zookeeper }, next) {
        await zookeeper.restart(0);
        await next();
      },
    },
    {
      name: "accepts connections and does not answer",
      effect: keeps,
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: the server is connected, but does not respond|^stale: no server answers/u,
      begin: ({ way }) => way.silence(),
      async end({ way }, next) {
        await next();
        way.heal();
      },
    },
    {
      name: "answers in no protocol",
      effect: keeps,
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: /u,
      begin: ({ way }) => way.garble(),
      async end({ way }, next) {
        await next();
        way.heal();
      },
    },
    answersSlowly({ seconds: 15 }),
    {
      name: "comes back empty",
      effect:
        "Services with fewer instances keep theirs for 30 s, while providers register again. The source is stale and says so.",
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: the registry lists 0 of the \d+ instances that it had/u,
      async begin({ zookeeper }) {
        await zookeeper.kill(0);
        zookeeper.replace(0, "nothing");
        await zookeeper.restart(0);
      },
      end: (_origin, next) => next(),
    },
    {
      name: "is restored from a backup, with lower transaction numbers",
      effect: "When every server was tried and lags behind, the source accepts it and reads everything again.",
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: /u,
      async begin({ zookeeper, way }) {
        way.silence();
        await zookeeper.kill(0);
        zookeeper.replace(0, "backup");
      },
      async end({ zookeeper, way }, next) {
        await zookeeper.restart(0);
        await next();
        way.heal();
      },
    },
  ],
};
