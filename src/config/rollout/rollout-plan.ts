import { ownValue } from "../../lib/own-value.ts";
import type { Labels } from "../config.ts";
import { parseDuration } from "../grammar/duration.ts";
import { isDnsLabel } from "../grammar/names.ts";

/** The annotations that stage the changes of an object. Objects of a namespace with the same name are one change. */
export const rolloutAnnotations = {
  name: "binnacle.io/rollout",
  waves: "binnacle.io/rollout-waves",
  wait: "binnacle.io/rollout-wait",
  query: "binnacle.io/rollout-query",
  most: "binnacle.io/rollout-query-max",
} as const;

/** The proxies that a wave adds to those of the waves before it. After the last wave come all others. */
export type Wave =
  | { readonly type: "count"; readonly proxies: number }
  | { readonly type: "share"; readonly percent: number }
  | { readonly type: "label"; readonly key: string; readonly value: string }
  | { readonly type: "zone"; readonly zone: string };

/** A query of Prometheus that decides whether the next wave begins. */
export interface RolloutGate {
  readonly query: string;
  /** The largest value of a sample that lets the rollout go on. */
  readonly most: number;
}

export interface RolloutPlan {
  readonly waves: readonly Wave[];
  /** The least time between the last ACK of a wave and the next wave. */
  readonly waitMs: number;
  readonly gate: RolloutGate | undefined;
}

/** One proxy, then a tenth, then half of all proxies, then all. */
export const defaultPlan: RolloutPlan = {
  waves: [
    { type: "count", proxies: 1 },
    { type: "share", percent: 10 },
    { type: "share", percent: 50 },
  ],
  waitMs: 30_000,
  gate: undefined,
};

/** More waves, and larger numbers of chosen proxies, are refused. */
const rolloutLimits = { waves: 20, chosen: 100, queryLength: 2_000, waitMs: 24 * 3_600_000 };

/** An annotation with a value that cannot be used. */
interface BadSetting {
  readonly annotation: string;
  readonly message: string;
}

interface ReadPlan {
  readonly plan: Partial<RolloutPlan>;
  readonly bad: readonly BadSetting[];
}

/** The name of the rollout that stages an object; undefined for an object whose changes are served at once. */
export function rolloutNameOf(annotations: Labels): string | undefined {
  return ownValue(annotations, rolloutAnnotations.name);
}

/** The settings that an object has. Objects of one rollout complete each other. */
export function readPlan(annotations: Labels): ReadPlan {
  const { name, waves, wait, query, most } = rolloutAnnotations;
  const bad: BadSetting[] = [];
  function read<T>(annotation: string, expected: string, parse: (text: string) => T | undefined): T | undefined {
    const text = ownValue(annotations, annotation);
    if (text === undefined) return undefined;
    const value = parse(text.trim());
    if (value === undefined) bad.push({ annotation, message: `expected ${expected}` });
    return value;
  }
  read(name, "the name of a rollout: lower-case letters, digits and dashes", (text) =>
    isDnsLabel(text) ? text : undefined,
  );
  const readWaves = read(waves, "waves such as 1, 10%, zone=eu-1a, label:canary=true", wavesIn);
  const waitMs = read(wait, "a duration such as 30s or 5m, of one day at most", waitIn);
  const text = read(query, `a query of 1 to ${rolloutLimits.queryLength} characters`, queryIn);
  const limit = read(most, "a number", numberIn);
  if (text === undefined && limit !== undefined) bad.push({ annotation: most, message: `needs ${query}` });
  if (text !== undefined && limit === undefined && ownValue(annotations, most) === undefined) {
    bad.push({ annotation: query, message: `needs ${most}: the largest value that lets the rollout go on` });
  }
  const gate = text !== undefined && limit !== undefined ? { query: text, most: limit } : undefined;
  return {
    plan: { ...(readWaves && { waves: readWaves }), ...(waitMs !== undefined && { waitMs }), ...(gate && { gate }) },
    bad,
  };
}

/** The wave as its author writes it. */
export function waveText(wave: Wave): string {
  switch (wave.type) {
    case "count":
      return `${wave.proxies}`;
    case "share":
      return `${wave.percent}%`;
    case "label":
      return `label:${wave.key}=${wave.value}`;
    case "zone":
      return `zone=${wave.zone}`;
    default:
      return wave satisfies never;
  }
}

function wavesIn(text: string): readonly Wave[] | undefined {
  const waves = text.split(",").map((each) => waveIn(each.trim()));
  const known = waves.filter((wave) => wave !== undefined);
  if (known.length !== waves.length || known.length > rolloutLimits.waves) return undefined;
  return known.filter((wave) => wave.type !== "share" || wave.percent < 100);
}

function waveIn(text: string): Wave | undefined {
  const { count, percent, zone, key, value } =
    /^(?:(?<count>\d{1,3})|(?<percent>\d{1,3}(?:\.\d{1,3})?)%|zone=(?<zone>[^=,\s]+)|label:(?<key>[^=,\s]+)=(?<value>[^=,\s]*))$/u.exec(
      text,
    )?.groups ?? {};
  if (count !== undefined) return positive("count", Number(count), rolloutLimits.chosen);
  if (percent !== undefined) return positive("share", Number(percent), 100);
  if (zone !== undefined) return { type: "zone", zone };
  return key === undefined || value === undefined ? undefined : { type: "label", key, value };
}

function positive(type: "count" | "share", number: number, most: number): Wave | undefined {
  if (number <= 0 || number > most) return undefined;
  return type === "count" ? { type, proxies: number } : { type, percent: number };
}

function waitIn(text: string): number | undefined {
  const nanos = parseDuration(text);
  const ms = nanos === undefined ? -1 : Number(nanos / 1_000_000n);
  return ms >= 0 && ms <= rolloutLimits.waitMs ? ms : undefined;
}

function queryIn(text: string): string | undefined {
  return text !== "" && text.length <= rolloutLimits.queryLength ? text : undefined;
}

function numberIn(text: string): number | undefined {
  const number = text === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}
