import type { Authority, Roots } from "./roots.ts";

/**
 * A root rotation in three phases, so that no handshake fails:
 *
 * 1. `distribute`: workloads learn to trust the new root. The old authority signs.
 * 2. `sign`: the new authority signs. Replicas that have not noticed it yet sign with the old one.
 * 3. `retire`: only the new authority signs. The old root stays trusted until the last certificate below it expires.
 *
 * The functions are pure. `RootStore.replace` makes every step atomic, so replicas need no leader. Two replicas that take
 * the same step at once get the same roots. A replica that dies leaves either the old roots or the new ones.
 */
export interface RotationTimes {
  /** A replica signs and writes only with roots that it read from the store at most this long ago. */
  readonly lagMs: number;
  /** How much the clocks of two machines may differ. */
  readonly skewMs: number;
  /** The longest life of a certificate that the authority signs. */
  readonly maxTtlMs: number;
  /** The life of a certificate whose request names none. */
  readonly usualTtlMs: number;
}

/** Not shorter, because reading the store takes a while on a busy machine. */
const shortestLagMs = 1_000;
const longestLagMs = 600_000;
const largestSkewMs = 30_000;

export function rotationTimes(maxTtlMs: number, ttlMs = maxTtlMs): RotationTimes {
  const lagMs = Math.max(shortestLagMs, Math.min(longestLagMs, maxTtlMs / 8));
  const skewMs = Math.min(largestSkewMs, maxTtlMs / 20);
  return { lagMs, skewMs, maxTtlMs, usualTtlMs: Math.min(ttlMs, maxTtlMs) };
}

/** The first roots of a mesh. */
export function firstRoots(signing: Authority, { usualTtlMs }: RotationTimes, now: number): Roots {
  return { phase: "steady", phaseSince: now, signing, longestTtlMs: usualTtlMs, trusted: [signing.root] };
}

/**
 * The roots after `signing` may sign certificates that live for `ttlMs`; undefined if it may already. Every replica
 * writes this before it signs the first such certificate. It writes twice the time, so that it writes seldom.
 */
export function recordTtl(roots: Roots, ttlMs: number, { maxTtlMs }: RotationTimes): Roots | undefined {
  const { longestTtlMs } = roots;
  if (longestTtlMs === undefined || ttlMs <= longestTtlMs) return undefined;
  return { ...roots, longestTtlMs: Math.max(ttlMs, Math.min(2 * ttlMs, maxTtlMs)) };
}

/** Undefined while another rotation is under way. */
export function beginRotation(roots: Roots, next: Authority, now: number): Roots | undefined {
  if (roots.phase !== "steady") return undefined;
  const trusted = [...new Set([...roots.trusted, next.root])];
  return { ...roots, phase: "distribute", phaseSince: now, next, trusted, ...awaited(roots) };
}

/** Drops the new authority. Undefined once it may have signed a certificate. */
export function cancelRotation(roots: Roots, now: number): Roots | undefined {
  const { phase, next, awaitedTtlMs: _, ...kept } = roots;
  if (phase !== "distribute") return undefined;
  const dropped = next?.root === kept.signing.root ? undefined : next?.root;
  return { ...kept, phase: "steady", phaseSince: now, trusted: kept.trusted.filter((root) => root !== dropped) };
}

/** The next phase, whether it is due or not. Undefined outside of a rotation. */
export function nextPhase(roots: Roots, { usualTtlMs }: RotationTimes, now: number): Roots | undefined {
  const { phase, next = roots.signing, awaitedTtlMs: _, ...kept } = roots;
  const begun = { ...kept, phaseSince: now };
  if (phase === "distribute") {
    return { ...begun, phase: "sign", signing: next, longestTtlMs: usualTtlMs, ...awaited(roots) };
  }
  if (phase === "sign") return { ...roots, phase: "retire", phaseSince: now };
  return phase === "retire" ? { ...begun, phase: "steady", trusted: [roots.signing.root] } : undefined;
}

/** Certificates of the authority that signs now are the ones to wait for, in this phase or later. */
function awaited({ longestTtlMs }: Roots): Pick<Roots, "awaitedTtlMs"> {
  return longestTtlMs === undefined ? {} : { awaitedTtlMs: longestTtlMs };
}

/**
 * When the next phase is due, in milliseconds since 1970; undefined outside of a rotation.
 *
 * A workload learns new roots with its next certificate. So it knows them, or its certificate has expired, after the
 * longest life of a certificate. A phase begins up to `lagMs` after its `phaseSince`, because a write takes time, and
 * replicas notice it up to `lagMs` later. A difference between clocks shortens a phase once, because one replica begins
 * it and another ends it, and prolongs the life of a certificate once.
 */
export function phaseEndsAt(roots: Roots, { lagMs, skewMs, maxTtlMs }: RotationTimes): number | undefined {
  const { phase, phaseSince, awaitedTtlMs = maxTtlMs } = roots;
  if (phase === "distribute") return phaseSince + 2 * lagMs + awaitedTtlMs + 2 * skewMs;
  if (phase === "sign") return phaseSince + 2 * lagMs + skewMs;
  return phase === "retire" ? phaseSince + awaitedTtlMs + skewMs : undefined;
}

/** The next phase if it is due. */
export function duePhase(roots: Roots, times: RotationTimes, now: number): Roots | undefined {
  const endsAt = phaseEndsAt(roots, times);
  return endsAt === undefined || now < endsAt ? undefined : nextPhase(roots, times, now);
}

/** The times of a certificate, in milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A root is replaced after this share of its life, as istiod does. */
const rotationShare = 0.8;
/** If a rotation takes long, it begins earlier, but not before this share. */
const earliestShare = 0.5;

/** When the root of steady roots should be replaced: the rotation must end long before the root expires. */
export function rotationDueAt(root: Validity, { longestTtlMs }: Roots, times: RotationTimes): number {
  const { lagMs, skewMs, maxTtlMs } = times;
  const lifeMs = root.notAfter - root.notBefore;
  const rotationMs = 2 * (longestTtlMs ?? maxTtlMs) + 4 * (lagMs + skewMs);
  const latest = Math.min(root.notBefore + rotationShare * lifeMs, root.notAfter - 2 * rotationMs);
  return Math.max(root.notBefore + earliestShare * lifeMs, latest);
}

/** Whether roots that were in the store at `readAt` still say who signs and who is trusted. Both times are of one clock. */
export function isCurrent(readAt: number, { lagMs }: RotationTimes, now: number): boolean {
  return now - readAt < lagMs;
}
