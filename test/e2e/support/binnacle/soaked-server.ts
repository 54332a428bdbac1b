import { join } from "node:path";
import { eventually } from "../../../../src/testing/eventually.ts";
import { Child } from "../child.ts";

/** The memory and handles that a server retains after garbage collection. */
export interface Footprint {
  /** Objects and buffers. */
  readonly heapMb: number;
  /** Parts of the catalogue. */
  readonly parts: number;
  readonly connections: number;
  /** Pending timers of the server. */
  readonly timers: number;
  readonly sockets: number;
}

/** A server in a separate process that reports its footprint (`soak-server.ts`). */
export class SoakedServer implements AsyncDisposable {
  readonly #child: Child;
  readonly port: number;
  #asked = 0;

  private constructor(child: Child, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(dir: string): Promise<SoakedServer> {
    const script = join(import.meta.dirname, "soak-server.ts");
    const child = new Child(process.execPath, ["--expose-gc", script, dir], { listens: true });
    const [, port] = await child.line(/^port 127\.0\.0\.1:(\d+)$/, { seconds: 30 });
    return new SoakedServer(child, Number(port));
  }

  async footprint(): Promise<Footprint> {
    this.#asked++;
    this.#child.say("footprint");
    return await eventually("the footprint", () => this.#footprints()[this.#asked - 1], { seconds: 30 });
  }

  log(): string {
    return this.#child.log();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child.stop();
  }

  #footprints(): readonly Footprint[] {
    const lines = this.#child.log().split("\n");
    const told = lines.filter((line) => line.startsWith("footprint "));
    return told.map((line) => JSON.parse(line.slice("footprint ".length)) as Footprint);
  }
}
