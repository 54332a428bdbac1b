import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { SinkChange } from "../../../mcp/sink/sink-updater.ts";
import { emptyGraceMs, emptyReason } from "../empty-guard.ts";
import type { SourceEvent } from "../source.ts";
import type { Received } from "./received-collection.ts";
import type { ReceivedState } from "./received-state.ts";

export interface DoubtedChangesOptions {
  readonly state: ReceivedState;
  readonly clock: Clock;
  /** The held back changes count now. */
  readonly onBelieved: (events: readonly SourceEvent[]) => void;
}

/**
 * Doubts a server that has nothing left of a collection when a stream begins: it may have started with the wrong
 * directory. Such a change is held back for half a minute, as {@link EmptyGuard} does. Later changes on the same stream
 * are meant.
 */
export class DoubtedChanges {
  readonly #options: DoubtedChangesOptions;
  readonly #held = new Map<string, { readonly change: SinkChange; readonly objects: number }>();
  /** The collections that this stream has sent. */
  readonly #sent = new Set<string>();
  #cancel: Cancel | undefined;

  constructor(options: DoubtedChangesOptions) {
    this.#options = options;
  }

  /** Why the state is not that of the server. Undefined if it is. */
  get reason(): string | undefined {
    if (this.#held.size === 0) return undefined;
    const objects = this.#held.values().reduce((sum, held) => sum + held.objects, 0);
    return emptyReason("the server", objects);
  }

  /** A stream begins, and will send everything. */
  begin(): void {
    this.end();
    this.#sent.clear();
    if (this.#held.size > 0) this.#wait();
  }

  /** The stream has ended: nothing is believed without one. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Applies a change, and the held back change before it, as one. */
  apply(change: SinkChange): Received {
    const { state } = this.#options;
    const { name } = change.collection;
    const objects = state.countIfEmptied(change);
    if (objects > 0 && !this.#sent.has(name)) {
      this.#held.set(name, { change, objects });
      this.#wait();
      return { events: [], refused: [] };
    }
    this.#sent.add(name);
    const before = this.#held.get(name);
    this.#held.delete(name);
    const emptied = before === undefined ? [] : state.apply(before.change).events;
    const { events, refused } = state.apply(change);
    return { events: [...emptied, ...events], refused };
  }

  #wait(): void {
    this.#cancel ??= this.#options.clock.after(emptyGraceMs, () => this.#believe());
  }

  #believe(): void {
    const { state, onBelieved } = this.#options;
    const events = [...this.#held.values()].flatMap(({ change }) => state.apply(change).events);
    for (const name of this.#held.keys()) this.#sent.add(name);
    this.#held.clear();
    this.end();
    onBelieved(events);
  }
}
