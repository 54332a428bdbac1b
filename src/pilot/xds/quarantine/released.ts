import type { Config, ConfigId } from "../../../config/config.ts";
import type { QuarantineReport } from "./report.ts";
import type { Scope } from "./scope.ts";

/** Versions that an operator serves to a class although the class refuses them. They count as accepted. */
export class Released {
  readonly #currentOf: (id: ConfigId) => Config | undefined;
  /** By class. */
  readonly #versions = new Map<string, ReadonlyMap<ConfigId, string | undefined>>();

  constructor(currentOf: (id: ConfigId) => Config | undefined) {
    this.#currentOf = currentOf;
  }

  get all(): QuarantineReport["released"] {
    return [...this.#versions].flatMap(([classId, versions]) =>
      Array.from(versions, ([id, version]) => ({ classId, id, version })),
    );
  }

  /** The class gets the current version of the object, whatever its proxies say. */
  has(classId: string, id: ConfigId): boolean {
    const versions = this.#versions.get(classId);
    return versions?.has(id) === true && versions.get(id) === this.#currentOf(id)?.version;
  }

  isAnyOf(classId: string): boolean {
    return this.#versions.has(classId);
  }

  add({ classId }: Scope, id: ConfigId): void {
    const version = this.#currentOf(id)?.version;
    this.#versions.set(classId, new Map([...(this.#versions.get(classId) ?? []), [id, version]]));
  }

  /** A release ends with the version for which it was made. */
  forgetChanged(): void {
    for (const [classId, versions] of this.#versions) {
      const left = [...versions].filter(([id]) => this.has(classId, id));
      if (left.length === 0) this.#versions.delete(classId);
      else this.#versions.set(classId, new Map(left));
    }
  }
}
