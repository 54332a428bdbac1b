import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Problem } from "../../../src/collection/collection.ts";
import { HeldLeases, type LeasedContents } from "../../../src/testing/mesh/held-leases.ts";
import { ScenarioMesh, type ScenarioOptions } from "../../../src/testing/mesh/scenario-mesh.ts";
import { type ObjectEdit, type WrittenObject, WrittenObjects } from "../../../src/testing/mesh/written-objects.ts";
import { contentsAlone } from "./contents-alone.ts";
import { clientOf, type NodeFacts, usualNodes } from "./nodes.ts";

/** A server that goes through edits, with clients that stay connected. */
export class EditedMesh {
  readonly mesh: ScenarioMesh;
  readonly #objects = new WrittenObjects();
  readonly #held: HeldLeases;
  readonly #absent: Set<NodeFacts>;
  readonly #nodes: NodeFacts[] = [];
  #edits = 0;
  #edited: readonly WrittenObject[] = [];

  private constructor(mesh: ScenarioMesh, nodes: readonly NodeFacts[]) {
    this.mesh = mesh;
    this.#held = new HeldLeases(mesh.discovery.catalogue, []);
    this.#absent = new Set(nodes);
    this.#connect();
  }

  static async start(nodes: readonly NodeFacts[] = usualNodes, options: ScenarioOptions = {}): Promise<EditedMesh> {
    return new EditedMesh(await ScenarioMesh.serving("", options), nodes);
  }

  get problems(): readonly Problem[] {
    return this.mesh.problems;
  }

  /** The connected clients, in the order of {@link edit}'s contents. */
  get nodes(): readonly NodeFacts[] {
    return this.#nodes;
  }

  /**
   * The objects that the last change wrote or deleted. Rejected edits and deletions of missing objects do not count.
   */
  get edited(): readonly WrittenObject[] {
    return this.#edited;
  }

  /** Applies edits as one change, pushes it, and returns the contents of the clients. */
  async edit(batch: readonly ObjectEdit[]): Promise<LeasedContents> {
    this.mesh.batch(() => {
      this.#edited = batch.flatMap((edit) => this.#objects.edit(edit, this.mesh) ?? []);
    });
    await this.mesh.pushed();
    this.#held.renew();
    const contents = this.#held.contents();
    this.#edits += 1;
    return contents;
  }

  /** Connects clients that are due: they find parts made for others. */
  arrivals(): void {
    this.#connect();
  }

  /**
   * The resources that a fresh server with the same objects serves to each client alone. Graph, views, catalogue,
   * writer, parsed objects and clients are new. Modules remember only values keyed by such objects, which
   * `test/memory-law.ts` checks.
   */
  fresh(): Promise<LeasedContents> {
    return contentsAlone(this.#text, this.#nodes);
  }

  /** The same in a separate process, where modules remember nothing at all. */
  freshProcess(): LeasedContents {
    const script = fileURLToPath(new URL("serve-once.ts", import.meta.url));
    const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
      input: JSON.stringify({ objects: this.#text, nodes: this.#nodes }),
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`the fresh server failed: ${stderr}`);
    return JSON.parse(stdout) as LeasedContents;
  }

  get #text(): string {
    return this.#objects.texts.join("\n---\n");
  }

  #connect(): void {
    for (const node of this.#absent) {
      if (node.arrives > this.#edits) continue;
      this.#absent.delete(node);
      this.#nodes.push(node);
      this.#held.add(clientOf(node));
    }
  }
}
