import { configKey } from "../../config/config.ts";
import { isRefused } from "../../config/finding.ts";
import type { Issue } from "../../config/issue.ts";
import { kinds } from "../../config/kinds.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import { assert } from "../../lib/assert.ts";
import { collectionOf } from "../config/configs-in.ts";

/** A source of every kind. Tests write to it in YAML. */
export class YamlSource extends MemorySource {
  constructor(name = "memory") {
    super({ name, collections: kinds.map(({ collection }) => collection) });
  }

  /** Creates or replaces the objects of a text, as one change. */
  apply(text: string): void {
    const error = this.applyValid(text).find((issue) => isRefused([issue]));
    assert(error === undefined, `a test's YAML is valid: ${error?.message}`);
  }

  /** Applies the objects without errors, as other sources do. Returns the issues of the others. */
  applyValid(text: string): readonly Issue[] {
    const { configs, issues } = parseConfigs({ text, ...this.#context });
    this.batch(() => {
      for (const config of configs) this.set(collectionOf(config), config);
    });
    return issues;
  }

  /**
   * Creates or replaces the objects of a text as one change, although validation rejects them. A test uses this to put
   * poison behind validation. Pass the source to `wire` as one of its `ownSources`, and Envoy judges the object.
   */
  applyUnvalidated(text: string): void {
    const { configs } = parseConfigs({ text, ...this.#context, keepInvalid: true });
    this.batch(() => {
      for (const config of configs) this.set(collectionOf(config), config);
    });
  }

  /** Deletes the objects of a text, as one change. Only kind and name must be valid. */
  remove(text: string): void {
    const { configs } = parseConfigs({ text, ...this.#context, keepInvalid: true });
    this.batch(() => {
      for (const config of configs) this.delete(collectionOf(config), configKey(config));
    });
  }

  get #context() {
    return { file: "a.yaml", source: this.name, kinds, defaultNamespace: "default" };
  }
}
