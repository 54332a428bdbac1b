import type { Config, ConfigId } from "../../../config/config.ts";
import { contentVersion } from "../../../config/content-version.ts";
import { kindOf } from "../../../config/kinds.ts";
import { defaultPlan, type RolloutPlan, readPlan, rolloutAnnotations } from "../../../config/rollout/rollout-plan.ts";
import { hasMessage } from "../../../config/spec-json.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { hashText } from "../../../lib/hash.ts";

/** A changed object. Undefined stands for no object: it is new, or deleted. */
export interface StagedObject {
  readonly id: ConfigId;
  /** The version that all proxies had before. */
  readonly stable: Config | undefined;
  readonly next: Config | undefined;
  /** True if it does not ask for waves, and waits because other objects of the change need it, or it needs them. */
  readonly joined: boolean;
}

/** Changed objects that each proxy gets together. */
export interface StagedChange {
  /** `namespace/name`, as the annotations of the objects say. */
  readonly id: string;
  /** Other rollouts whose objects refer to objects of this one: they are one change. */
  readonly merged: readonly string[];
  readonly objects: ReadonlyMap<ConfigId, StagedObject>;
}

/** The settings of all objects together. The first object that has a setting decides. */
export function planOf({ objects }: StagedChange): RolloutPlan {
  let plan: Partial<RolloutPlan> = {};
  for (const { next, stable, joined } of sorted(objects.values())) {
    const annotations = (next ?? stable)?.annotations;
    if (!joined && annotations !== undefined) plan = { ...readPlan(annotations).plan, ...plan };
  }
  return { ...defaultPlan, ...plan };
}

/** Names the content of a change: equal for equal content, also on another server. */
export function contentOf({ objects }: StagedChange): string {
  return hashText(JSON.stringify(sorted(objects.values()).map(({ id, next }) => [id, next?.version ?? ""])));
}

/** Whether two versions configure the same. Settings of a rollout configure no proxy. */
export function isSameContent(one: Config | undefined, other: Config | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.version === other.version || versionWithoutPlan(one) === versionWithoutPlan(other);
}

const ofRollouts: ReadonlySet<string> = new Set(Object.values(rolloutAnnotations));

function versionWithoutPlan(config: Config): string {
  const row = kindOf(config.apiVersion, config.kind);
  if (row === undefined || !hasMessage(config, row.schema)) return config.version;
  const annotations = Object.fromEntries(Object.entries(config.annotations).filter(([name]) => !ofRollouts.has(name)));
  return contentVersion({ ...config, annotations }, row.schema);
}

function sorted(objects: Iterable<StagedObject>): readonly StagedObject[] {
  return [...objects].toSorted((a, b) => compareTexts(a.id, b.id));
}
