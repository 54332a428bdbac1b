import type { LagReason } from "../../history/fleet.ts";
import type { PushRequest } from "../../pilot/model/push-request.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Client } from "../../xds/resource-source.ts";
import type { WatchProgress } from "../../xds/stream/watch.ts";
import type { PushPositions } from "./push-positions.ts";

/** The position of the last push that a proxy has accepted. `undefined` for none since it connected. */
export interface RawLag {
  readonly position: number | undefined;
  readonly why: LagReason;
}

/** The types in which a proxy is behind, by their short names. */
export type RawLags = Readonly<Record<string, RawLag>>;

/** How far a proxy is behind. Empty if it has accepted everything so far. */
export function lagsOf(
  { watched }: Pick<Connection<Client>, "watched">,
  queued: Pick<PushRequest, "pushes"> | undefined,
  positions: Pick<PushPositions, "before">,
): RawLags {
  const lags = watched.flatMap((watch) => {
    const lag = lagIn(watch, queued, positions);
    return lag === undefined ? [] : [[watch.subscription.type.shortName, lag] as const];
  });
  return Object.fromEntries(lags);
}

function lagIn(
  watch: WatchProgress,
  queued: Pick<PushRequest, "pushes"> | undefined,
  positions: Pick<PushPositions, "before">,
): RawLag | undefined {
  const { pushes, subscription } = watch;
  const { error } = subscription;
  if (pushes.isOpening && isOwed(watch))
    return { position: undefined, why: error === undefined ? "waiting" : "rejected" };
  const rejected = error === undefined ? [] : pushes.incomplete;
  const open = [...rejected, ...pushes.unanswered, ...(queued?.pushes ? [queued.pushes] : [])];
  if (open.length === 0) return undefined;
  const oldest = open.reduce((least, { first }) => Math.min(least, first), Number.POSITIVE_INFINITY);
  return { position: positions.before(oldest), why: rejected.length > 0 ? "rejected" : "waiting" };
}

/** A client may ask only for names that do not exist. Then nothing is owed to it. */
function isOwed({ subscription, target }: WatchProgress): boolean {
  if (subscription.inFlight !== undefined || subscription.error !== undefined || target === undefined) return true;
  return subscription.due(target, { mayRemove: () => true }) !== undefined;
}
