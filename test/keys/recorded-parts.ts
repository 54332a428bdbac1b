import type { Generator, PartFamily, PartInputs } from "../../src/pilot/xds/generator.ts";

/** The inputs of all parts, by the type and the name of their family. */
export class RecordedParts {
  readonly families = new Map<string, PartInputs[]>();

  /** For the option `tap` of a pipeline. */
  readonly tap = (generators: readonly Generator[]): readonly Generator[] =>
    generators.map((generator) => ({
      ...generator,
      families: generator.families.map((family) => this.#record(`${generator.shortName} ${family.name}`, family)),
    }));

  #record(name: string, family: PartFamily): PartFamily {
    const all = this.families.get(name) ?? [];
    this.families.set(name, all);
    return {
      ...family,
      parts(...args) {
        const parts = family.parts(...args);
        for (const inputs of parts) all.push(inputs);
        return parts;
      },
    };
  }
}
