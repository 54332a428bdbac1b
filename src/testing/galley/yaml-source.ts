import { configKey } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import { kinds } from "../../config/kinds.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import { assert } from "../../lib/assert.ts";
import { collectionOf } from "../config/configs-in.ts";

/** A source of every kind that a test writes to, as YAML. */
export class YamlSource extends MemorySource {
  constructor(name = "memory") {
    super({ name, collections: kinds.map(({ collection }) => collection) });
  }

  /** Creates or replaces the objects of a text, as one change. */
  apply(text: string): void {
    const error = this.applyValid(text).find(({ severity }) => severity === "error");
    assert(error === undefined, `a test's YAML is valid: ${error?.message}`);
  }

  /** The same for those without errors, as other sources do it; returns what is wrong with the others. */
  applyValid(text: string): readonly Issue[] {
    const { configs, issues } = parseConfigs({ text, ...this.#context });
    this.batch(() => {
      for (const config of configs) this.set(collectionOf(config), config);
    });
    return issues;
  }

  /**
   * Creates or replaces the objects of a text, as one change, although validation refuses them. This is how a test puts
   * poison behind validation: give the source to `wire` as one of its `ownSources`, and Envoy gets to judge the object.
   */
  applyUnvalidated(text: string): void {
    const { configs } = parseConfigs({ text, ...this.#context, keepInvalid: true });
    this.batch(() => {
      for (const config of configs) this.set(collectionOf(config), config);
    });
  }

  /** Takes away the objects of a text, as one change; what else it says of them need not be right. */
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
