import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { HeldLeases } from "../../../src/testing/mesh/held-leases.ts";
import { ScenarioMesh, type ScenarioOptions } from "../../../src/testing/mesh/scenario-mesh.ts";
import { type ObjectEdit, WrittenObjects } from "../../../src/testing/mesh/written-objects.ts";
import { clients } from "./clients.ts";

/** Per client every resource with its type, version and owners. */
type Contents = readonly (readonly string[])[];

/** A server that lives through edits, with clients that stay connected. */
export class EditedMesh {
  readonly #objects = new WrittenObjects();
  readonly #mesh: ScenarioMesh;
  readonly #held: HeldLeases;

  private constructor(mesh: ScenarioMesh) {
    this.#mesh = mesh;
    this.#held = new HeldLeases(mesh.discovery.catalogue, clients);
  }

  static async start(options: ScenarioOptions = {}): Promise<EditedMesh> {
    return new EditedMesh(await ScenarioMesh.serving("", options));
  }

  get problems(): readonly unknown[] {
    return this.#mesh.problems;
  }

  /** Applies edits as one change, pushes it, and returns what clients have then. */
  async edit(batch: readonly ObjectEdit[]): Promise<Contents> {
    this.#mesh.batch(() => {
      for (const edit of batch) this.#objects.edit(edit, this.#mesh);
    });
    await this.#mesh.pushed();
    this.#held.renew();
    return this.#held.contents();
  }

  /**
   * What a fresh server with the same objects serves. Graph, views, catalogue, writer and parsed objects are new.
   * Builders remember things in their modules, but by such objects only, so that nothing they remember is shared.
   */
  async fresh(): Promise<Contents> {
    const mesh = await ScenarioMesh.serving(this.#text);
    return new HeldLeases(mesh.discovery.catalogue, clients).contents();
  }

  /** The same in a process of its own, where modules remember nothing at all. */
  freshProcess(): Contents {
    const script = fileURLToPath(new URL("serve-once.ts", import.meta.url));
    const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
      input: this.#text,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`the fresh server failed: ${stderr}`);
    return JSON.parse(stdout) as Contents;
  }

  get #text(): string {
    return this.#objects.texts.join("\n---\n");
  }
}
