import type { Source, SourceEvent } from "../../../src/galley/source/source.ts";
import { storyCollections } from "../../../src/testing/galley/galley-objects.ts";
import type { Seams } from "../../../src/testing/galley/galley-rig.ts";

type Says = (events: readonly SourceEvent[]) => readonly SourceEvent[];

/** A source of which something else is heard than it says. */
export function saying(says: Says): Seams {
  return {
    source: (source) => ({
      name: source.name,
      collections: source.collections,
      start: (handler) => source.start((events) => handler(says(events))),
      stop: () => source.stop(),
      idle: () => source.idle(),
    }),
  };
}

export function isNo(type: SourceEvent["type"]): (event: SourceEvent) => boolean {
  return (event) => event.type !== type;
}

/** Says a deletion before what was said last. */
export function outOfOrder(): Says {
  let last: readonly SourceEvent[] = [];
  return (events) => {
    const said = events.some(({ type }) => type === "deleted") ? [...events, ...last.filter(isNo("reset"))] : events;
    last = events;
    return said;
  };
}

const syncs = storyCollections.map((collection) => ({ type: "fullSync", collection }) as const);

export function syncedEarly(events: readonly SourceEvent[]): readonly SourceEvent[] {
  return [...events, ...syncs];
}

export function emptiedByReset(events: readonly SourceEvent[]): readonly SourceEvent[] {
  return events.flatMap<SourceEvent>((event) => (event.type === "reset" ? [event, ...syncs] : event));
}

/** Keeps what is said after the stop, and hands it on after the next start. */
export function buffering(source: Source): Source {
  let running = false;
  const kept: SourceEvent[] = [];
  return {
    name: source.name,
    collections: source.collections,
    start(handler) {
      running = true;
      return source.start((events) => {
        if (running) handler([...kept.splice(0), ...events]);
        else kept.push(...events);
      });
    },
    stop() {
      running = false;
      return source.stop();
    },
    idle: () => source.idle(),
  };
}
