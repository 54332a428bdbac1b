import type { Viewer } from "../../admin/viewer.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { DeskState } from "../api/desk-state.ts";
import { isVisible, summaryOf } from "../api/handlers/changes.ts";
import { overviewOf } from "../api/handlers/overview.ts";
import type { DeskEvent } from "../api/model/events.ts";
import type { RecordedChange } from "../journal/recorded-change.ts";
import { EventLog, type LoggedFlush } from "./event-log.ts";

/** A reader of the live stream. */
export interface EventReader {
  readonly viewer: Viewer;
  /** The events of one flush, as text for the stream. */
  send(text: string): void;
}

const changesMs = 250;
const slowMs = 1_000;
const slowKinds = ["overview", "proxies", "rollouts", "configuration"] as const;
type SlowKind = (typeof slowKinds)[number];

/**
 * Sends live events to the readers of the desk. Without readers it does nothing and has no timer. Readers with equal
 * rights share the text, so that ten open desks cost little more than one.
 */
export class EventHub {
  readonly #state: DeskState;
  readonly #clock: SupervisedClock;
  readonly #log: EventLog;
  readonly #readers = new Set<EventReader>();
  readonly #due = new Set<SlowKind>();
  #slowSentAt = Number.NEGATIVE_INFINITY;
  #cancel: Cancel | undefined;
  #slowReaders = 0;

  constructor(state: DeskState, clock: SupervisedClock) {
    this.#state = state;
    this.#clock = clock;
    this.#log = new EventLog(state.journal.start);
    state.journal.onTouched(() => this.touch("overview", "proxies"));
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** The id of the newest events. */
  get newest(): string {
    return this.#log.newest;
  }

  /** Readers that were disconnected because they read too slowly. */
  get slowReaders(): number {
    return this.#slowReaders;
  }

  droppedSlow(): void {
    this.#slowReaders++;
  }

  /** Something of these kinds may be different. Without readers, the next one that comes back must read everything again. */
  touch(...kinds: readonly SlowKind[]): void {
    if (this.#readers.size === 0) return this.#log.interrupt();
    for (const kind of kinds) this.#due.add(kind);
    this.#cancel ??= this.#clock.after(changesMs, () => this.#flush());
  }

  /**
   * Adds a reader, with everything that it missed since its last event, or with `reset`. Returns how to remove it. Of the
   * changes before the first reader, only those on their way to proxies concern it: it reads the others itself.
   */
  follow(reader: EventReader, lastId: string | undefined): () => void {
    const missed = lastId === undefined ? undefined : this.#log.since(lastId);
    const reset: DeskEvent = { type: "reset", start: this.#state.journal.start };
    const events = missed === undefined ? [reset] : this.#eventsOf(missed, reader.viewer);
    const isFirst = this.#readers.size === 0;
    this.#readers.add(reader);
    if (isFirst) this.#touchUndispatched(this.#state.journal.takeTouched());
    reader.send(textOf(events, this.#log.newest));
    return () => {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#stop();
    };
  }

  #stop(): void {
    // The events that were due are lost.
    if (this.#cancel !== undefined) this.#log.interrupt();
    this.#cancel?.();
    this.#cancel = undefined;
    this.#due.clear();
  }

  #flush(): void {
    this.#cancel = undefined;
    const { journal } = this.#state;
    const touched = journal.takeTouched();
    const kinds = new Set<DeskEvent["type"]>(touched.length > 0 ? ["changes"] : []);
    const now = this.#clock.now();
    if (now - this.#slowSentAt >= slowMs && this.#due.size > 0) {
      for (const kind of this.#due) kinds.add(kind);
      this.#due.clear();
      this.#slowSentAt = now;
    }
    if (kinds.size > 0) this.#sendAll(this.#log.add(kinds, new Set(touched.map(({ id }) => id))));
    this.#touchUndispatched(touched);
    if (this.#due.size > 0) this.touch();
  }

  /** Nothing tells that the queue of proxies became empty. */
  #touchUndispatched(changes: readonly RecordedChange[]): void {
    const { journal } = this.#state;
    for (const change of changes) {
      if (change.stage.type === "pushed" && !journal.isDispatched(change.stage.push)) journal.touchAgain(change);
    }
  }

  #sendAll(flush: LoggedFlush): void {
    const texts = new Map<string, string>();
    for (const reader of this.#readers) {
      const key = reader.viewer.type === "system" ? "" : `/${reader.viewer.namespace}`;
      const text = texts.get(key) ?? textOf(this.#eventsOf(flush, reader.viewer), this.#log.newest);
      texts.set(key, text);
      if (text !== "") reader.send(text);
    }
  }

  #eventsOf({ kinds, changes }: LoggedFlush, viewer: Viewer): readonly DeskEvent[] {
    const { journal } = this.#state;
    const summaries = [...changes]
      .map((id) => journal.find(id))
      .filter((change) => change !== undefined)
      .filter((change) => isVisible(change, viewer))
      .map((change) => summaryOf(change, viewer, this.#state));
    return [
      ...(summaries.length > 0 ? [{ type: "changes", changes: summaries } as const] : []),
      ...(kinds.has("overview") ? [{ type: "overview", overview: overviewOf(this.#state, viewer) } as const] : []),
      ...(kinds.has("proxies") ? [{ type: "proxies" } as const] : []),
      ...(kinds.has("rollouts") ? [{ type: "rollouts" } as const] : []),
      ...(kinds.has("configuration") ? [{ type: "configuration" } as const] : []),
    ];
  }
}

/** In the format of server-sent events. JSON has no line breaks. Only the last event has the id: a flush is one step. */
function textOf(events: readonly DeskEvent[], id: string): string {
  return events
    .map((event, index) => {
      const idLine = index === events.length - 1 ? `id: ${id}\n` : "";
      return `${idLine}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    })
    .join("");
}
