import type { Roots } from "../../ca/roots.ts";
import {
  beginRotation,
  cancelRotation,
  duePhase,
  firstRoots,
  isCurrent,
  phaseEndsAt,
  recordTtl,
  rotationTimes,
} from "../../ca/rotation.ts";
import { Sealed } from "../../lib/sealed.ts";

export const maxTtlMs = 8_000;
/** The life that a new authority is recorded with. Longer ones are recorded when a client asks for them. */
export const usualTtlMs = maxTtlMs / 4;
export const times = rotationTimes(maxTtlMs, usualTtlMs);
/** Half of the difference between two clocks that `rotationTimes` allows. */
export const offsetMs = maxTtlMs / 40;
export type MeshAction =
  | { readonly type: "pass"; readonly ms: number }
  /** Waits for the next time at which something ends, or for the one after it. */
  | { readonly type: "wait"; readonly skipped: number }
  | { readonly type: "read" | "commit" | "crash" | "advance" | "rotate" | "cancel"; readonly replica: number }
  | { readonly type: "renew"; readonly workload: number; readonly replica: number; readonly ttlMs: number };

function authority(root: string) {
  return { certificate: root, key: new Sealed(""), chain: [], root };
}

interface Stored {
  readonly roots: Roots;
  readonly revision: number;
}

interface Replica {
  readonly clockOffset: number;
  known?: { readonly roots: Roots; readonly readAt: number } | undefined;
  /** A replacement that is computed and not yet sent: a step of a rotation, or a record of a longer life. */
  planned?: { readonly previous: number; readonly next: Roots; readonly readAt: number } | undefined;
}

interface Workload {
  readonly clockOffset: number;
  signer: string;
  trusted: readonly string[];
  expiresAt: number;
}

/** A mesh with a store, replicas that crash between their reads and their writes, and workloads, each with its own clock. */
export class RotationMesh {
  now = 0;
  rotations = 0;
  /** The longest life of a certificate that was signed. */
  longest = 0;
  stored: Stored = { roots: firstRoots(authority("root 0"), times, 0), revision: 0 };
  readonly replicas: readonly Replica[];
  readonly workloads: readonly Workload[];

  constructor({
    replicaOffsets,
    workloadOffsets,
  }: { replicaOffsets: readonly number[]; workloadOffsets: readonly number[] }) {
    this.replicas = replicaOffsets.map((clockOffset) => ({ clockOffset }));
    this.workloads = workloadOffsets.map((clockOffset) => {
      return { clockOffset, signer: "", trusted: [], expiresAt: Number.NEGATIVE_INFINITY };
    });
  }

  take(step: MeshAction): void {
    if (step.type === "pass") this.now += step.ms;
    else if (step.type === "wait") this.now = this.#turningPoints()[step.skipped] ?? this.now;
    else if (step.type === "renew") this.#renew(this.workloads[step.workload], this.replicas[step.replica], step.ttlMs);
    else this.#act(step.type, this.replicas[step.replica]);
  }

  /** The times just before or at which a rule changes its answer: mistakes in the rules show there. */
  #turningPoints(): readonly number[] {
    const ends = this.replicas.flatMap(({ known, planned }, index) => [
      this.phaseEndFor(index),
      ...[known, planned].map((read) => (read?.readAt ?? 0) + times.lagMs - 1),
    ]);
    const expiries = this.workloads.map(({ expiresAt, clockOffset }) => expiresAt - clockOffset - 1);
    return [...ends, ...expiries].filter((time) => time > this.now).toSorted((a, b) => a - b);
  }

  /** When a replica may end the phase by its own clock. */
  phaseEndFor(replica: number): number {
    return (phaseEndsAt(this.stored.roots, times) ?? 0) - (this.replicas[replica]?.clockOffset ?? 0);
  }

  #act(type: "read" | "commit" | "crash" | "advance" | "rotate" | "cancel", actor: Replica | undefined): void {
    if (actor === undefined) return;
    if (type === "crash") {
      actor.known = undefined;
      actor.planned = undefined;
      return;
    }
    if (type === "commit") {
      const { planned } = actor;
      actor.planned = undefined;
      if (planned?.previous !== this.stored.revision || !isCurrent(planned.readAt, times, this.now)) return;
      if (planned.next.phase === "steady" && this.stored.roots.phase === "retire") this.rotations += 1;
      this.stored = { roots: planned.next, revision: this.stored.revision + 1 };
      actor.known = { roots: planned.next, readAt: planned.readAt };
      return;
    }
    const time = this.now + actor.clockOffset;
    this.#plan(actor, (roots) => {
      if (type === "advance") return duePhase(roots, times, time);
      if (type === "rotate") return beginRotation(roots, authority(`root ${this.stored.revision + 1}`), time);
      return type === "cancel" ? cancelRotation(roots, time) : undefined;
    });
  }

  #plan(actor: Replica, change: (roots: Roots) => Roots | undefined): void {
    const { roots, revision } = this.stored;
    actor.known = { roots, readAt: this.now };
    const next = change(roots);
    if (next !== undefined) actor.planned = { previous: revision, next, readAt: this.now };
  }

  #renew(workload: Workload | undefined, signer: Replica | undefined, ttlMs: number): void {
    if (workload === undefined || signer?.known === undefined) return;
    const { roots, readAt } = signer.known;
    if (!isCurrent(readAt, times, this.now)) return;
    if (recordTtl(roots, ttlMs, times) !== undefined) {
      return this.#plan(signer, (read) => recordTtl(read, ttlMs, times));
    }
    this.longest = Math.max(this.longest, ttlMs);
    workload.signer = roots.signing.root;
    workload.trusted = roots.trusted;
    workload.expiresAt = this.now + signer.clockOffset + ttlMs;
  }

  /** Pairs of live workloads of which one refuses the other. */
  refusals(): readonly string[] {
    const live = this.workloads.filter(({ expiresAt, clockOffset }) => this.now + clockOffset < expiresAt);
    return live.flatMap(({ trusted, clockOffset }) => {
      const shown = live.filter(({ expiresAt }) => this.now + clockOffset < expiresAt);
      return shown
        .filter(({ signer }) => !trusted.includes(signer))
        .map(({ signer }) => `${trusted.join()} refuses ${signer}`);
    });
  }
}
