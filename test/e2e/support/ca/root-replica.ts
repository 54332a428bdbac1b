/**
 * A process with the roots of one replica: `node root-replica.ts URL SETTINGS`. It says in lines of JSON which authority
 * signs and which roots are trusted, as often as it reads the store. The line `rotate` on its input starts a rotation.
 */
import { createHash, randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { RootKeeper, type RotationCommand } from "../../../../src/app/ca/root-keeper.ts";
import { etcdRootStore } from "../../../../src/app/ca/shared-root-store.ts";
import { systemClock } from "../../../../src/app/process/system-clock.ts";
import { etcdPlace } from "../../../../src/app/sources/etcd.ts";
import { parseSourceUrl } from "../../../../src/app/sources/source-url.ts";
import type { RootStore, StoredRoots } from "../../../../src/ca/root-store.ts";
import type { Roots, RotationPhase } from "../../../../src/ca/roots.ts";
import { rotationTimes } from "../../../../src/ca/rotation.ts";
import { selfSignedAuthority } from "../../../../src/ca/self-signed.ts";
import { errorFrom } from "../../../../src/lib/errors.ts";
import { Supervisor } from "../../../../src/lib/supervisor.ts";

export interface ReplicaSettings {
  readonly name: string;
  readonly maxTtlMs: number;
  /** How far its clock is behind. A replica that is far behind takes no step by itself. */
  readonly lateMs?: number;
  /** Kills itself before or after it writes this phase of the rotation that it starts. */
  readonly dies?: { readonly when: "before" | "after"; readonly phase: RotationPhase };
}

/** One line of the output of a replica. */
export interface ReplicaReport {
  readonly at: number;
  readonly phase: RotationPhase;
  /** Short hashes of root certificates. */
  readonly signs: string;
  readonly trusts: readonly string[];
}

const [url = "", text = "{}"] = process.argv.slice(2);
// The test writes the settings.
const { name, maxTtlMs, lateMs = 0, dies } = JSON.parse(text) as ReplicaSettings;
const clock = new Supervisor({ clock: systemClock, onFailure: fail }).clockFor("replica");
const etcd = etcdRootStore(etcdPlace(parseSourceUrl(url)), clock);
const times = rotationTimes(maxTtlMs);

let isRotating = false;
const diesAt = (when: "before" | "after", { phase }: Roots) =>
  isRotating && dies?.when === when && dies.phase === phase;

const store: RootStore = {
  read: () => etcd.read(),
  watch: (onChange, onError) => etcd.watch(onChange, onError),
  async replace(previous, next): Promise<StoredRoots> {
    if (diesAt("before", next)) process.kill(process.pid, "SIGKILL");
    const stored = await etcd.replace(previous, next);
    if (diesAt("after", next)) process.kill(process.pid, "SIGKILL");
    return stored;
  },
};

const dayMs = 86_400_000;
const timeOfDay = () => Date.now() - lateMs;
const keeper = new RootKeeper({
  store,
  clock,
  timeOfDay,
  times,
  create: () => selfSignedAuthority({ organization: name, now: timeOfDay(), random: randomBytes(16), ttlMs: dayMs }),
  // No root of a test is old.
  validityOf: () => ({ notBefore: 0, notAfter: Number.POSITIVE_INFINITY }),
  onRotation: () => undefined,
  onChange: () => undefined,
  onError: (error) => process.stderr.write(`${errorFrom(error).message}\n`),
});
await keeper.start();

createInterface({ input: process.stdin }).on("line", (line) => {
  isRotating = true;
  keeper.carryOut(line as RotationCommand).then(() => process.stdout.write(`done ${line}\n`), fail);
});

setInterval(() => {
  const roots = keeper.current;
  if (roots === undefined) return;
  const { phase, signing, trusted } = roots;
  const report: ReplicaReport = { at: Date.now(), phase, signs: short(signing.root), trusts: trusted.map(short) };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}, times.lagMs / 4);

function short(pem: string): string {
  return createHash("sha256").update(pem).digest("hex").slice(0, 8);
}

function fail(_part: unknown, error?: unknown): void {
  process.stderr.write(`${errorFrom(error ?? _part).message}\n`);
}
