import { rolloutAnnotations } from "../../../src/config/rollout/rollout-plan.ts";

/** The annotations of a rollout, by their last words. */
export type StagedSettings = Partial<Record<keyof typeof rolloutAnnotations, string>>;

/** The object with the annotations of a rollout; its name is `change` if nothing else is said. */
export function staged(object: string, settings: StagedSettings = {}): string {
  const parsed = JSON.parse(object) as { metadata: object };
  const named = Object.entries({ name: "change", ...settings });
  const annotations = Object.fromEntries(
    named.map(([setting, value]) => [Reflect.get(rolloutAnnotations, setting) as string, value]),
  );
  return JSON.stringify({ ...parsed, metadata: { ...parsed.metadata, annotations } });
}
