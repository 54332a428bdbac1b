import type { Authority, Roots, RotationPhase } from "./roots.ts";

/**
 * A root rotation in three phases, so that no handshake fails:
 *
 * 1. `distribute`: workloads learn to trust the new root. The old authority signs.
 * 2. `sign`: the new authority signs. Replicas that have not noticed it yet sign with the old one.
 * 3. `retire`: only the new authority signs. The old root stays trusted until the last certificate below it expires.
 *
 * The functions are pure. `RootStore.replace` makes every step atomic, so replicas need no leader: two that take the same
 * step at once get the same roots, and a replica that dies leaves either the old roots or the new ones.
 */
export interface RotationTimes {
  /** A replica signs, and writes, only by what the store held at most this long ago. */
  readonly lagMs: number;
  /** How long each phase lasts at least. */
  readonly phaseMs: Readonly<Record<Exclude<RotationPhase, "steady">, number>>;
}

/** On a busy machine a reading takes a while. */
const shortestLagMs = 1_000;
const longestLagMs = 600_000;
const largestSkewMs = 30_000;

/**
 * `maxTtlMs` is the longest life of a certificate that the authority signs. A workload learns new roots with its next
 * certificate, so it knows them after this time at the latest.
 *
 * A phase begins up to `lagMs` after its `phaseSince`, because a write takes time, and replicas notice it up to `lagMs`
 * later. The clocks of two machines may differ by `skewMs`. That shortens a phase once, because one replica begins it and
 * another ends it, and prolongs the life of a certificate once.
 */
export function rotationTimes(maxTtlMs: number): RotationTimes {
  const lagMs = Math.max(shortestLagMs, Math.min(longestLagMs, maxTtlMs / 8));
  const skewMs = Math.min(largestSkewMs, maxTtlMs / 20);
  return {
    lagMs,
    phaseMs: { distribute: 2 * lagMs + maxTtlMs + 2 * skewMs, sign: 2 * lagMs + skewMs, retire: maxTtlMs + skewMs },
  };
}

/** The first roots of a mesh. */
export function firstRoots(signing: Authority, now: number): Roots {
  return { phase: "steady", phaseSince: now, signing, trusted: [signing.root] };
}

/** Undefined while another rotation is under way. */
export function beginRotation(roots: Roots, next: Authority, now: number): Roots | undefined {
  if (roots.phase !== "steady") return undefined;
  const trusted = [...new Set([...roots.trusted, next.root])];
  return { phase: "distribute", phaseSince: now, signing: roots.signing, next, trusted };
}

/** Drops the new authority. Undefined once it may have signed a certificate. */
export function cancelRotation(roots: Roots, now: number): Roots | undefined {
  const { phase, signing, next, trusted } = roots;
  if (phase !== "distribute") return undefined;
  const dropped = next?.root === signing.root ? undefined : next?.root;
  return { phase: "steady", phaseSince: now, signing, trusted: trusted.filter((root) => root !== dropped) };
}

/** The next phase, whether it is due or not. Undefined outside of a rotation. */
export function nextPhase({ phase, signing, next = signing, trusted }: Roots, now: number): Roots | undefined {
  if (phase === "distribute") return { phase: "sign", phaseSince: now, signing: next, trusted };
  if (phase === "sign") return { phase: "retire", phaseSince: now, signing, trusted };
  return phase === "retire" ? { phase: "steady", phaseSince: now, signing, trusted: [signing.root] } : undefined;
}

/** When the next phase is due, in milliseconds since 1970; undefined outside of a rotation. */
export function phaseEndsAt({ phase, phaseSince }: Roots, { phaseMs }: RotationTimes): number | undefined {
  return phase === "steady" ? undefined : phaseSince + phaseMs[phase];
}

/** The next phase if it is due. */
export function duePhase(roots: Roots, times: RotationTimes, now: number): Roots | undefined {
  const endsAt = phaseEndsAt(roots, times);
  return endsAt === undefined || now < endsAt ? undefined : nextPhase(roots, now);
}

/** Whether roots that were in the store at `readAt` still say who signs and who is trusted. Both times are of one clock. */
export function isCurrent(readAt: number, { lagMs }: RotationTimes, now: number): boolean {
  return now - readAt < lagMs;
}
