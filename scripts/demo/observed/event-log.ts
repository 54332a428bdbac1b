/** An action of the control plane, or a problem that it met. */
export type Event =
  | {
      readonly type: "push";
      /** Milliseconds since the epoch. */
      readonly at: number;
      /** CDS, EDS, … */
      readonly resourceType: string;
      readonly bytes: number;
      /** The names of the clients that received the push. */
      readonly clients: readonly string[];
      /** In the words of the log: `request`, `config`, … */
      readonly causes: readonly string[];
      /** The time since the last edit of a file, if an edit was the cause. */
      readonly sinceSaveMs?: number;
    }
  | { readonly type: "trouble"; readonly at: number; readonly text: string };

export type PushEvent = Extract<Event, { type: "push" }>;

/** The last events, newest first. Pushes of one interval that differ only in their clients are one event. */
export class EventLog {
  readonly #capacity: number;
  #running: Event[] = [];
  #passed: readonly Event[] = [];

  constructor({ capacity }: { readonly capacity: number }) {
    this.#capacity = capacity;
  }

  note(event: Event): void {
    const index = this.#running.findIndex((other) => isSamePush(other, event));
    const same = this.#running[index];
    if (same?.type === "push" && event.type === "push") this.#running[index] = together(same, event);
    else this.#running.push(event);
  }

  /** Ends the interval: earlier events no longer change. */
  endInterval(): void {
    this.#passed = [...this.#running.toReversed(), ...this.#passed].slice(0, this.#capacity);
    this.#running = [];
  }

  get events(): readonly Event[] {
    return this.#passed;
  }
}

function isSamePush(a: Event, b: Event): boolean {
  if (a.type !== "push" || b.type !== "push") return false;
  return a.resourceType === b.resourceType && String(a.causes) === String(b.causes);
}

function together(first: PushEvent, second: PushEvent): PushEvent {
  const clients = [...new Set([...first.clients, ...second.clients])];
  return { ...first, bytes: first.bytes + second.bytes, clients };
}
