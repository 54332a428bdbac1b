import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { compareTexts } from "../../lib/compare.ts";
import { oncePer } from "../../lib/memo.ts";
import { type Config, configKey } from "../config.ts";
import type { Kind } from "../kind.ts";
import { serviceEntry } from "../kinds/service-entry.ts";
import { workloadEntry } from "../kinds/workload-entry.ts";
import { kinds } from "../kinds.ts";
import type { AnalysisInput } from "./analyzer.ts";

/** The objects of a kind at one moment. */
export interface ConfigView {
  readonly size: number;
  get(key: string): Config | undefined;
  values(): Iterable<Config>;
}

export interface AnalysisInputOptions {
  readonly domain: string;
  /** Milliseconds since the epoch, to check expiry times. */
  readonly now: number;
  /** The objects of a kind; undefined if they are unknown. */
  readonly viewOf: (kind: Kind) => ConfigView | undefined;
  /**
   * Objects that every cluster is assumed to have, unless it has objects of the same names. None if the cluster itself
   * is visible.
   */
  readonly assumed?: readonly Config[];
}

/**
 * Builds the input of analyzers. The kinds of Kubernetes count as unknown if none of them has an object. Then a missing
 * Pod proves nothing. With assumed objects they still count as known, unless the mesh has ServiceEntries or
 * WorkloadEntries.
 */
export function analysisInput({ domain, now, viewOf, assumed = [] }: AnalysisInputOptions): AnalysisInput {
  const isCluster = isClusterSeen(viewOf, assumed);
  const lists = new Map<string, readonly Config[]>();
  const listOf = (kind: Kind): readonly Config[] => {
    const known = lists.get(kind.collection) ?? listed(kind, viewOf(kind), isCluster ? assumed : []);
    lists.set(kind.collection, known);
    return known;
  };
  return {
    domain,
    now,
    version: (kind) => (assumed.length === 0 ? viewOf(kind) : undefined),
    knows: (kind) => viewOf(kind) !== undefined && (isCluster || !kind.builtIn),
    // A view holds only objects of its kind, with messages of that kind's schema.
    all: <Desc extends DescMessage>(kind: Kind<Desc>) => listOf(kind) as readonly Config<MessageShape<Desc>>[],
    find: <Desc extends DescMessage>(kind: Kind<Desc>, key: string) => {
      const found =
        viewOf(kind)?.get(key) ?? (isCluster ? assumed.find((each) => isNamed(each, kind, key)) : undefined);
      return found as Config<MessageShape<Desc>> | undefined;
    },
  };
}

function isClusterSeen(viewOf: AnalysisInputOptions["viewOf"], assumed: readonly Config[]): boolean {
  const isEmpty = (kind: Kind) => (viewOf(kind)?.size ?? 0) === 0;
  if (kinds.some((kind) => kind.builtIn && !isEmpty(kind))) return true;
  return assumed.length > 0 && isEmpty(serviceEntry) && isEmpty(workloadEntry);
}

function listed(kind: Kind, view: ConfigView | undefined, assumed: readonly Config[]): readonly Config[] {
  const own = view === undefined ? [] : inOrder(view);
  const others = assumed.filter((each) => each.kind === kind.kind && kind.builtIn && !view?.get(configKey(each)));
  return others.length === 0 ? own : sortedByKey([...own, ...others]);
}

/** A view does not change, and most views of the next look are the same. */
const inOrder = oncePer((view: ConfigView): readonly Config[] => sortedByKey(view.values()));

function sortedByKey(configs: Iterable<Config>): readonly Config[] {
  const keyed = Array.from(configs, (config) => ({ key: configKey(config), config }));
  return keyed.toSorted((a, b) => compareTexts(a.key, b.key)).map(({ config }) => config);
}

function isNamed(config: Config, kind: Kind, key: string): boolean {
  return kind.builtIn === true && config.kind === kind.kind && configKey(config) === key;
}
