import type { Config, ConfigId } from "../../../config/config.ts";
import type { PushContext } from "../../model/push-context.ts";
import { mergePushRequests, type PushRequest } from "../../model/push-request.ts";
import type { Catalogue } from "../catalogue.ts";

/** Objects in place of those of the users. Undefined stands for no object. */
export type Substitutes = ReadonlyMap<ConfigId, Config | undefined>;

/** Captures the mesh with other versions of some objects. */
export interface Substitution {
  /** Copies the mesh in steps, with a turn for others between them. */
  fill(turn: () => Promise<void>): Promise<void>;
  capture(substitutes: Substitutes, sequence: number): { readonly push: PushContext; readonly request: PushRequest };
}

export interface SubstitutedCataloguesOptions {
  readonly main: Catalogue;
  readonly open: () => Substitution;
  /** Creates a catalogue without parts. */
  readonly create: (push: PushContext) => Catalogue;
  readonly turn: () => Promise<void>;
}

/**
 * The catalogues of meshes with substitutes. All are captured from one graph, one after the other. So a catalogue must
 * learn all changes of the graph since its own last capture, also those for other catalogues.
 */
export class SubstitutedCatalogues {
  readonly #options: SubstitutedCataloguesOptions;
  readonly #missed = new Map<Catalogue, PushRequest | undefined>();
  #substitution: Substitution | undefined;

  constructor(options: SubstitutedCataloguesOptions) {
    this.#options = options;
  }

  get all(): readonly Catalogue[] {
    return [...this.#missed.keys()];
  }

  /** Brings a catalogue to the current mesh with these substitutes; creates it if there is none. */
  async update(catalogue: Catalogue | undefined, substitutes: Substitutes): Promise<Catalogue> {
    const { create, turn } = this.#options;
    const { push, request } = await this.#capture(substitutes);
    if (catalogue === undefined) {
      const created = create(push);
      this.#missed.set(created, undefined);
      return created;
    }
    const all = this.#missed.get(catalogue) ?? request;
    this.#missed.set(catalogue, undefined);
    await catalogue.advance(push, all, turn);
    return catalogue;
  }

  /** The parts of the users' mesh in use that these substitutes may change, by their keys. */
  async partsChangedBy(substitutes: Substitutes): Promise<ReadonlySet<string>> {
    await this.#capture(new Map());
    const { push, request } = await this.#capture(substitutes);
    if (this.#missed.size === 0) this.#substitution = undefined;
    return this.#options.main.partsChangedBy(request, push);
  }

  async #capture(substitutes: Substitutes): Promise<ReturnType<Substitution["capture"]>> {
    const substitution = this.#substitution ?? (await this.#open());
    const captured = substitution.capture(substitutes, this.#options.main.published.sequence);
    for (const [each, missed] of this.#missed) this.#missed.set(each, mergePushRequests(missed, captured.request));
    return captured;
  }

  /** A large mesh takes seconds to copy: streams are served meanwhile. */
  async #open(): Promise<Substitution> {
    const opened = this.#options.open();
    await opened.fill(this.#options.turn);
    this.#substitution = opened;
    return opened;
  }

  /** The catalogue is no longer used. The second graph goes with the last catalogue. */
  drop(catalogue: Catalogue): void {
    this.#missed.delete(catalogue);
    if (this.#missed.size === 0) this.#substitution = undefined;
  }
}
