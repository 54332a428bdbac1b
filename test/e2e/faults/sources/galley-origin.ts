import { binnacle } from "../../support/binnacle/command.ts";
import type { Child } from "../../support/child.ts";
import { freePort } from "../../support/free-port.ts";
import { MeshDir } from "../../support/mesh-dir.ts";
import { type WrittenObject, yamlOf } from "../oracle/generations.ts";
import { BreakableWay } from "./breakable-way.ts";
import { independentObjects } from "./independent-objects.ts";
import type { Origin, SourceSubject } from "./origin.ts";
import { answersSlowly } from "./slow-way.ts";

/** The protocol between the two processes. */
type Protocol = "mcp" | "xds";

/** Short keepalives, so that a silent server is noticed in time. */
const alert = ["--keepalive-interval", "1s", "--keepalive-timeout", "1s"];

/** Another Binnacle with a directory of its own, behind a way that can break. */
export class GalleyOrigin implements Origin {
  readonly args = alert;
  readonly objectsOf = independentObjects;
  readonly way: BreakableWay;
  readonly #protocol: Protocol;
  readonly #port: number;
  readonly #mesh = new MeshDir();
  readonly #empty = new MeshDir();
  #child: Child | undefined;

  private constructor(protocol: Protocol, port: number, way: BreakableWay) {
    this.#protocol = protocol;
    this.#port = port;
    this.way = way;
  }

  static async open(protocol: Protocol): Promise<GalleyOrigin> {
    const port = await freePort();
    const origin = new GalleyOrigin(protocol, port, await BreakableWay.to(port));
    await origin.start("mesh");
    return origin;
  }

  get source(): string {
    return `${this.#protocol}://127.0.0.1:${this.way.port}`;
  }

  write(objects: readonly WrittenObject[]): Promise<void> {
    for (const object of objects) {
      this.#mesh.write(`${object.kind}-${object.metadata.name}.yaml`.toLowerCase(), yamlOf([object]));
    }
    return Promise.resolve();
  }

  /** Resolves when it serves its directory, or an empty one. */
  async start(content: "mesh" | "nothing"): Promise<void> {
    const dir = content === "mesh" ? this.#mesh.path : this.#empty.path;
    const command = this.#protocol === "mcp" ? ["galley", dir, "--mcp"] : ["serve", dir, "--xds"];
    const off = ["--http", "off", "--metrics", "off", "--ctrlz", "off"];
    this.#child = binnacle([...command, `127.0.0.1:${this.#port}`, ...off]);
    await this.#child.line(/^ready: /u, { seconds: 60 });
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#child?.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child?.stop();
    await this.way[Symbol.asyncDispose]();
    this.#mesh[Symbol.dispose]();
    this.#empty[Symbol.dispose]();
  }
}

function subject(protocol: Protocol, name: string): SourceSubject<GalleyOrigin> {
  const keeps = "The source is stale and keeps its objects. A new stream brings only differences.";
  return {
    name,
    open: () => GalleyOrigin.open(protocol),
    faults: [
      {
        name: "is killed, and starts again",
        effect: keeps,
        bound: { seconds: 15 },
        form: "whole",
        said: /^stale: /u,
        begin: (origin) => origin.kill(),
        async end(origin, next) {
          await next();
          await origin.start("mesh");
        },
      },
      {
        name: "accepts connections and does not answer",
        effect: keeps,
        bound: { seconds: 15 },
        form: "whole",
        said: /^stale: /u,
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
        effect: "Objects stay in use until the server has had none of them for 30 s. The source is stale and says so.",
        bound: { seconds: 15 },
        form: "whole",
        said: /^stale: the server lists none of the /u,
        async begin(origin) {
          await origin.kill();
          await origin.start("nothing");
        },
        async end(origin, next) {
          await origin.kill();
          await next();
          await origin.start("mesh");
        },
      },
    ],
  };
}

export const mcpSubject = subject("mcp", "a Galley over MCP");
export const xdsSubject = subject("xds", "a control plane over xDS");
