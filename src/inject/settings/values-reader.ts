import { isMapping } from "../../lib/is-mapping.ts";
import { ownValue } from "../../lib/own-value.ts";
import type { Fields, Texts } from "../pod.ts";

/** Reads single fields of a nested mapping, each with its type. Collects all mistakes. */
export class ValuesReader {
  readonly problems: string[] = [];
  readonly #values: Fields;

  constructor(values: Fields) {
    this.#values = values;
  }

  /** A number is accepted, because an unquoted tag such as 1.29 is one in YAML. */
  text(path: string, otherwise: string): string {
    const value = this.#at(path);
    if (value === undefined) return otherwise;
    if (typeof value === "string" || typeof value === "number") return String(value);
    return this.#wrong(path, "a text", otherwise);
  }

  choice<T extends string>(path: string, choices: readonly T[], otherwise: T): T {
    const value = this.text(path, otherwise);
    return choices.find((choice) => choice === value) ?? this.#wrong(path, choices.join(" or "), otherwise);
  }

  flag(path: string, otherwise: boolean): boolean {
    const value = this.#at(path);
    if (value === undefined) return otherwise;
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
    return this.#wrong(path, "true or false", otherwise);
  }

  count(path: string, otherwise: number): number {
    const value = this.#at(path);
    if (value === undefined) return otherwise;
    return Number.isInteger(value) && Number(value) >= 0
      ? Number(value)
      : this.#wrong(path, "a whole number", otherwise);
  }

  /** An empty mapping is absent, as in Istio's values. */
  fields<T extends Fields | undefined>(path: string, otherwise: T): Fields | T {
    const value = this.#at(path);
    if (value === undefined || (isMapping(value) && Object.keys(value).length === 0)) return otherwise;
    return isMapping(value) ? value : this.#wrong(path, "a mapping", otherwise);
  }

  texts(path: string): readonly string[] {
    const value = this.#at(path);
    if (value === undefined) return [];
    const isTexts = Array.isArray(value) && value.every((item) => typeof item === "string");
    return isTexts ? value : this.#wrong(path, "a list of texts", []);
  }

  textMap(path: string): Texts {
    const value = this.#at(path);
    if (value === undefined) return {};
    const isTexts = isMapping(value) && Object.values(value).every((item) => typeof item === "string");
    return isTexts ? (value as Texts) : this.#wrong(path, "a mapping of texts", {});
  }

  mappings(path: string): readonly Fields[] {
    const value = this.#at(path);
    if (value === undefined) return [];
    return Array.isArray(value) && value.every(isMapping) ? value : this.#wrong(path, "a list of mappings", []);
  }

  /** The names of the fields of a mapping. */
  names(path: string): readonly string[] {
    const value = this.#at(path);
    return isMapping(value) ? Object.keys(value) : [];
  }

  #at(path: string): unknown {
    const value = path
      .split(".")
      .reduce<unknown>((inner, name) => (isMapping(inner) ? ownValue(inner, name) : undefined), this.#values);
    return value ?? undefined;
  }

  #wrong<T>(path: string, expected: string, otherwise: T): T {
    this.problems.push(`${path}: expected ${expected}`);
    return otherwise;
  }
}
