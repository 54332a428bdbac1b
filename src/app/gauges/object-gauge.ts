import type { Collection } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";

type Labels = Readonly<Record<"namespace" | "name" | "version", string>>;

/**
 * `galley_istio_networking_gateways` for `istio/networking/v1alpha3/gateways`: the version of the API is left out.
 * Collections with fewer than four segments have no gauge.
 */
export function objectGaugeName(collection: string): string | undefined {
  const [source, group, version, ...rest] = collection.split("/");
  if (source === undefined || group === undefined || version === undefined || rest.length === 0) return undefined;
  return ["galley", source, group, ...rest].join("_").replaceAll(/\W/g, "_");
}

/** Telling Prometheus of 50 000 objects would stop the process for seconds at every scrape. */
const mostObjects = 1000;

/**
 * The objects of some collections as gauge values. An object that disappeared since the last scrape is reported once as
 * gone. If there are too many objects, the gauge reports none.
 */
export class ObjectGauge {
  readonly #collections: readonly Collection<Config>[];
  #reported: ReadonlyMap<string, Labels> = new Map();

  constructor(collections: readonly Collection<Config>[]) {
    this.#collections = collections;
  }

  *values(): Iterable<readonly [labels: Labels, value: number]> {
    const reported = this.#reported;
    const present = new Map<string, Labels>();
    this.#reported = present;
    if (this.#collections.reduce((sum, { size }) => sum + size, 0) > mostObjects) return;
    for (const collection of this.#collections) {
      for (const { namespace, name, version } of collection.values()) {
        present.set(`${namespace}/${name} ${version}`, { namespace, name, version });
      }
    }
    for (const labels of present.values()) yield [labels, 1];
    for (const [key, labels] of reported) if (!present.has(key)) yield [labels, 0];
  }
}
