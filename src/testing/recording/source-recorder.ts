import { type Config, configKey } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import type { SourceEvent } from "../../galley/source/source.ts";

/** Hears a source out, and keeps the state that follows from what it said. */
export class SourceRecorder {
  /** One list per call. */
  readonly calls: (readonly SourceEvent[])[] = [];
  readonly state = new Map<string, Config>();
  readonly issues = new Map<string, readonly Issue[]>();

  readonly handler = (events: readonly SourceEvent[]): void => {
    this.calls.push(events);
    for (const event of events) this.#apply(event);
  };

  get events(): readonly SourceEvent[] {
    return this.calls.flat();
  }

  /** The names of all objects that are there, sorted. */
  get names(): readonly string[] {
    return Array.from(this.state.values(), ({ name }) => name).toSorted();
  }

  get allIssues(): readonly Issue[] {
    return [...this.issues.values()].flat();
  }

  config(collection: string, key: string): Config | undefined {
    return this.state.get(`${collection} ${key}`);
  }

  #apply(event: SourceEvent): void {
    switch (event.type) {
      case "upserted":
        this.state.set(`${event.collection} ${configKey(event.config)}`, event.config);
        return;
      case "deleted":
        this.state.delete(`${event.collection} ${event.key}`);
        return;
      case "reset":
        this.state.clear();
        this.issues.clear();
        return;
      case "issues":
        if (event.issues.length > 0) this.issues.set(event.part, event.issues);
        else this.issues.delete(event.part);
        return;
      case "fullSync":
      case "overdue":
      case "stale":
      case "fresh":
        return;
    }
  }
}
