import { longestWaitMs, type ObjectProgressPage } from "../../admin/pilot/object-progress.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Terminal } from "../command.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { waveWords } from "./rollout-lines.ts";
import type { WaitTarget } from "./wait-target.ts";

export interface WaitOptions {
  readonly server: string;
  readonly goal: ObjectProgressPage["for"];
  readonly proxies: readonly string[];
  readonly allowNone: boolean;
  /** In the clock's milliseconds. */
  readonly deadline: number;
}

/** A server that restarts is asked again after this time. */
const retryMs = 250;
/** A proxy that lost its stream while its answer was missing is awaited for so long. Envoy reconnects within seconds. */
const reconnectMs = 15_000;
/** The most proxies that are awaited by name. */
const maxExpected = 50;

/**
 * Asks the server until the goal is reached, cannot be reached, or the time is over. Returns the last page. Throws
 * `unavailable` if the server does not answer the first question.
 */
export async function awaitObject(
  target: WaitTarget,
  options: WaitOptions,
  terminal: Pick<Terminal, "clock" | "showStatus">,
): Promise<ObjectProgressPage> {
  const { clock } = terminal;
  const lost = new LostProxies(() => clock.now());
  let last: ObjectProgressPage | undefined;
  for (;;) {
    const restMs = Math.max(0, options.deadline - clock.now());
    try {
      last = await ask(target, options, { restMs, expected: lost.expected });
      lost.note(last);
      if (last.final || restMs === 0) return last;
      terminal.showStatus?.(`${target.id}: ${progressText(last)}`);
    } catch (thrown) {
      // A server that has answered before may restart. A first failure is a wrong address, or no server.
      if (last === undefined) throw thrown;
      const mayComeBack = MeshError.from(thrown).code === "unavailable" && restMs > 0;
      if (!mayComeBack && restMs === 0) return last;
      if (!mayComeBack) throw thrown;
      const { promise, resolve } = Promise.withResolvers<void>();
      clock.after(Math.min(retryMs, restMs), resolve);
      await promise;
    } finally {
      terminal.showStatus?.("");
    }
  }
}

function progressText({ state, proxies, rollout }: ObjectProgressPage): string {
  const shares = `live on ${proxies.live} of ${proxies.reached} proxies`;
  return rollout === undefined ? `${state}, ${shares}` : `rollout ${rollout.rollout}, ${waveWords(rollout)}, ${shares}`;
}

async function ask(
  { id, version }: WaitTarget,
  { server, goal, proxies, allowNone }: WaitOptions,
  { restMs, expected }: { readonly restMs: number; readonly expected: readonly string[] },
): Promise<ObjectProgressPage> {
  const query = new URLSearchParams({ object: id, for: goal, wait: String(Math.min(restMs, longestWaitMs)) });
  if (version !== undefined) query.set("version", version);
  if (allowNone) query.set("allow_none", "true");
  for (const proxy of proxies) query.append("proxy", proxy);
  for (const node of expected) query.append("expected", node);
  // Our own page, which names its format.
  return (await fetchPage(server, `/debug/object_progress?${query.toString()}`)) as ObjectProgressPage;
}

/** Proxies whose answers were missing. After a restart of the server, or of their stream, they are awaited by name. */
class LostProxies {
  readonly #now: () => number;
  /** By node: when the proxy was seen last. */
  readonly #seen = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get expected(): readonly string[] {
    return [...this.#seen.keys()].slice(0, maxExpected);
  }

  note({ missing }: ObjectProgressPage): void {
    const absent = new Set(missing.filter(({ why }) => why === "not connected").map(({ proxy }) => proxy));
    for (const { proxy, why } of missing) if (why !== "not connected") this.#seen.set(proxy, this.#now());
    for (const [node, at] of this.#seen) {
      const isBack = !absent.has(node) && !missing.some(({ proxy }) => proxy === node);
      if (isBack || this.#now() - at > reconnectMs) this.#seen.delete(node);
    }
  }
}
