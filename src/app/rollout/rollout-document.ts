import { createHash } from "node:crypto";
import type { ConfigId } from "../../config/config.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { StagedChange } from "../../pilot/registry/rollout/staged-change.ts";
import type { StoredChange } from "../../pilot/registry/rollout/staging.ts";
import type { RolloutEvent } from "../../pilot/xds/rollout/rollout-event.ts";
import type { StagedRollout } from "../../pilot/xds/rollout/staged-rollout.ts";
import { objectIn, type StoredObject, storedObject } from "../quarantine/refusal-document.ts";

/** A staged change, as it is stored. Times are milliseconds since 1970. */
export interface StoredRollout {
  readonly id: string;
  readonly merged: readonly string[];
  readonly content: string;
  readonly phase: StagedRollout["phase"];
  readonly wave: number;
  readonly chosen: readonly string[];
  readonly reason: string;
  readonly cause: StagedRollout["cause"];
  readonly startedAt: number;
  readonly since: number;
  readonly events: readonly RolloutEvent[];
  readonly objects: readonly {
    readonly id: ConfigId;
    readonly joined: boolean;
    /** The version of the staged content. Null for a deletion. */
    readonly version: string | null;
    /** The version that all proxies had before. Null if there was none. */
    readonly stable: StoredObject | null;
  }[];
}

const format = "binnacle rollouts 1";

/** The text of a document. Its digest shows whether somebody changed it. */
export function encodeRollouts(rollouts: readonly StoredRollout[]): string {
  return `${JSON.stringify({ format, digest: digestOf(rollouts), rollouts }, undefined, 1)}\n`;
}

/** Undefined if the text is no document, or not exactly as it was written. */
export function decodeRollouts(text: string): readonly StoredRollout[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    if (!isMapping(document) || document["format"] !== format || !Array.isArray(document["rollouts"])) return undefined;
    // The digest says that we wrote it.
    return document["digest"] === digestOf(document["rollouts"])
      ? (document["rollouts"] as StoredRollout[])
      : undefined;
  } catch {
    return undefined;
  }
}

/** `shift` turns the clock's milliseconds into those since 1970. */
export function storedRollout(rollout: StagedRollout, shift: number): StoredRollout {
  const { change, content, phase, wave, chosen, reason, cause, startedAt, since, events } = rollout;
  return {
    id: change.id,
    merged: change.merged,
    content,
    phase,
    wave,
    chosen: [...chosen],
    reason,
    cause,
    startedAt: startedAt + shift,
    since: since + shift,
    events: events.map((event) => ({ ...event, at: event.at + shift })),
    objects: storedObjects(change),
  };
}

function storedObjects({ objects }: StagedChange): StoredRollout["objects"] {
  return Array.from(objects.values(), ({ id, joined, stable, next }) => ({
    id,
    joined,
    version: next?.version ?? null,
    stable: (stable && storedObject(stable)) ?? null,
  }));
}

/** Undefined if a stable version cannot be used. */
export function restoredChange({ id, merged, objects }: StoredRollout): StoredChange | undefined {
  const restored = objects.map(({ stable, version, ...object }) => ({
    ...object,
    version: version ?? undefined,
    stable: stable === null ? undefined : objectIn(stable, object.id),
    isLost: stable !== null && objectIn(stable, object.id) === undefined,
  }));
  return restored.some(({ isLost }) => isLost) ? undefined : { id, merged, objects: restored };
}

function digestOf(rollouts: unknown): string {
  return createHash("sha256").update(JSON.stringify(rollouts)).digest("hex");
}
