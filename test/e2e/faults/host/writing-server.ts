import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { QuarantinePage } from "../../../../src/admin/pilot/quarantine-page.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { askPatiently, get } from "../../support/http.ts";
import { FaultedServer } from "../oracle/faulted-server.ts";
import { yamlOf } from "../oracle/generations.ts";
import { RefusingProxy } from "./refusing-proxy.ts";
import type { SmallDisk } from "./small-disk.ts";
import { writtenFiles } from "./written-files.ts";

const host = "refused.shop.svc.cluster.local";
const refused = {
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: { name: "refused", namespace: "shop" },
  spec: {
    hosts: [host],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 9080, name: "main", protocol: "HTTP" }],
    endpoints: [{ address: "10.1.0.9" }],
  },
};

/** The flags of a server that writes all of its files to this disk. */
export function flagsFor({ path }: SmallDisk): readonly string[] {
  return Object.values(writtenFiles).flatMap(({ flags }) => flags(path));
}

/** A server that writes all of its files to a small disk. The test makes it write each of them. */
export class WritingServer implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly server: FaultedServer;
  readonly #disk: SmallDisk;
  readonly #proxy: RefusingProxy;
  /** The last changes of the files during the fault. */
  #before: ReadonlyMap<string, bigint | undefined> = new Map();

  private constructor(server: FaultedServer, disk: SmallDisk) {
    this.server = this.#resources.use(server);
    this.#disk = disk;
    this.#proxy = this.#resources.use(new RefusingProxy(server.process.xdsPort, host));
  }

  static async start(disk: SmallDisk): Promise<WritingServer> {
    const writing = new WritingServer(await FaultedServer.start({ within: disk.within, args: flagsFor(disk) }), disk);
    await writing.#proxy.answer();
    return writing;
  }

  /** During the fault: a rotation of roots fails, and a refused object is kept away although it cannot be stored. */
  async writeInVain(): Promise<readonly string[]> {
    const status = await this.#rotate();
    this.server.write("refused.yaml", yamlOf([refused]));
    const isKeptAway = async () => {
      await this.#proxy.answer();
      const { body } = await get(this.server.process.httpPort, "/debug/quarantine");
      return (JSON.parse(body) as QuarantinePage).objects.some(({ object }) => object === "ServiceEntry/shop/refused");
    };
    await eventually("the refused object is kept away", isKeptAway, { seconds: 30 });
    this.#before = this.#written();
    return status >= 400 ? [] : [`a rotation of roots was answered with ${status}`];
  }

  /** After the fault: a rotation of roots succeeds, and every file is written again. */
  async writeAgain(): Promise<readonly string[]> {
    const status = await this.#rotate();
    const unwritten = () =>
      [...this.#written()].filter(([path, time]) => time === this.#before.get(path)).map(([path]) => path);
    const all = () => {
      if (unwritten().length > 0) throw new Error(`${unwritten().join(", ")} are not written`);
      return true;
    };
    await eventually("every file is written again", all, { seconds: 60 });
    return status < 400 ? [] : [`a rotation of roots was answered with ${status} after the fault`];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  async #rotate(): Promise<number> {
    const { httpPort } = this.server.process;
    return (await askPatiently("POST", httpPort, "/debug/ca/rotation", { body: "command=rotate" })).status;
  }

  /** The time of the last change of each file, in nanoseconds. A disk without the log has none. */
  #written(): ReadonlyMap<string, bigint | undefined> {
    const paths = Object.values(writtenFiles).map(({ path }) => path);
    const kept = this.#disk.hasLog ? paths : paths.filter((path) => path !== writtenFiles["the log"]?.path);
    return new Map(kept.map((path) => [path, this.#changed(path)]));
  }

  #changed(path: string): bigint | undefined {
    const file = this.#disk.seen(this.server.process.pid, path);
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || !stats.isDirectory()) return stats?.mtimeNs;
    // A file that grows does not change its folder.
    const inside = readdirSync(file).map((name) => statSync(join(file, name), { bigint: true }).mtimeNs);
    return inside.reduce((last, time) => (time > last ? time : last), stats.mtimeNs);
  }
}
