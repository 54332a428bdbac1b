import type { ValueType } from "./option-values.ts";

/** One row: the same setting as a flag, in the environment, in the configuration file, in `--help` and in the docs. */
export interface Option<T> {
  /** The flag without its dashes, and the key in the configuration file. */
  readonly name: string;
  /** The first variable that is set counts. Istio's names come after ours. */
  readonly env: readonly string[];
  readonly type: ValueType<Exclude<T, undefined>>;
  readonly default: T;
  /** The default as a person would write it; empty when there is none. */
  readonly defaultText: string;
  readonly doc: string;
  readonly example: string;
  /** The half of the control plane that has this option; absent if every server has it. */
  readonly of?: "galley" | "pilot";
}

/** A row for each setting of a theme. */
export type OptionRows<Theme> = { readonly [Key in keyof Theme]: Option<Theme[Key]> };
