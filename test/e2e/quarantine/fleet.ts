import { eventually } from "../../../src/testing/eventually.ts";
import { Edge } from "./edge.ts";
import type { JudgingServer } from "./judging-server.ts";
import type { Row, Stage } from "./row.ts";
import type { Setting, Slot } from "./tenant-mesh.ts";

/** The story changes this host all the time. */
export const editedHost = 1;

const bound = { seconds: 10 };

export interface FleetOptions extends Setting {
  readonly row: Row;
  readonly mode: "sotw" | "delta";
  readonly server: JudgingServer;
}

/** The gateways of a story. It compares what they serve with the state of the mesh, and collects the differences. */
export class Fleet implements AsyncDisposable {
  readonly #options: FleetOptions;
  readonly #resources = new AsyncDisposableStack();
  readonly #edges = new Map<Slot, Edge>();
  readonly misses: string[] = [];
  /** The stage of the row's objects. */
  stage: Stage;
  /** The version of the edited host. */
  edit = "edit-0";

  constructor(options: FleetOptions) {
    this.#options = options;
    this.stage = options.row.begins;
  }

  /** Starts a gateway, or restarts it. Resolves when it is ready to serve. */
  async open(slot: Slot): Promise<Edge> {
    const { ports, mode, server } = this.#options;
    await this.#edges.get(slot)?.[Symbol.asyncDispose]();
    const edge = await Edge.start({ slot, port: ports[slot], xdsPort: server.xdsPort, mode });
    this.#resources.use(edge);
    this.#edges.set(slot, edge);
    await edge.live();
    return edge;
  }

  /**
   * Starts a gateway of the refusing class. It must serve everything else with its first answers. It may be the second
   * witness against an object, so it rejects each at most once.
   */
  async openFresh(): Promise<boolean> {
    const before = this.misses.length;
    const edge = await this.open(this.#options.row.refusing === "old" ? "fresh-old" : "fresh");
    await this.#check(edge);
    const rejections = await edge.rejections();
    const { length } = this.#options.row.refused;
    if (rejections > length) this.misses.push(`${edge.slot} rejected ${rejections} responses for ${length} objects`);
    return this.misses.length === before;
  }

  /** Waits until all gateways serve the current version of the edited host. */
  async served(): Promise<void> {
    for (const edge of this.#edges.values()) {
      if (this.#isDenied(edge.slot)) continue;
      const isServed = async () => (await edge.versionOf(editedHost)) === this.edit;
      await eventually(`${this.edit} reaches ${edge.slot}`, isServed, bound).catch(this.miss);
    }
  }

  /** Waits until the row's objects have the effect of this stage everywhere. */
  async affected(): Promise<void> {
    for (const edge of this.#edges.values()) {
      const isAffected = async () => (await this.#options.row.effect(edge)) === this.#effectIn(edge.slot);
      await eventually(`the ${this.stage} object reaches ${edge.slot}`, isAffected, bound).catch(this.miss);
    }
  }

  /** Compares all hosts of all gateways, and the effects of the row's objects. */
  async check(): Promise<void> {
    for (const edge of this.#edges.values()) await this.#check(edge);
  }

  expect(subject: string, found: unknown, expected: unknown): void {
    const [is, shouldBe] = [JSON.stringify(found), JSON.stringify(expected)];
    if (is !== shouldBe) this.misses.push(`${this.stage}, ${this.edit}: ${subject}: ${is} instead of ${shouldBe}`);
  }

  readonly miss = (thrown: unknown): false => {
    this.misses.push(`${this.stage}, ${this.edit}: ${String(thrown)}`);
    return false;
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  async #check(edge: Edge): Promise<void> {
    const { row, count } = this.#options;
    const versions = new Map(Array.from({ length: count }, (_, index) => [index, "good"]));
    versions.set(editedHost, this.edit);
    for (const victim of row.victims) versions.delete(victim);
    if (this.#isDenied(edge.slot)) for (const index of versions.keys()) versions.set(index, "403");
    this.expect(`hosts of ${edge.slot}`, (await edge.unexpected(versions)).slice(0, 3), []);
    this.expect(`the effect in ${edge.slot}`, await row.effect(edge), this.#effectIn(edge.slot));
  }

  #effectIn(slot: Slot): string {
    const { effects, affects, acceptedByOthers } = this.#options.row;
    if (affects?.includes(slot) === false) return effects.good;
    if (this.stage === "good" || this.stage === "mended") return effects[this.stage];
    if (acceptedByOthers !== undefined && !slot.endsWith("old")) return acceptedByOthers;
    // The mended version was accepted before the object is spoilt again.
    return this.stage === "spoilt again" ? effects.mended : effects.poisoned;
  }

  #isDenied(slot: Slot): boolean {
    return this.stage === "poisoned" && (this.#options.row.denied ?? []).includes(slot);
  }
}
