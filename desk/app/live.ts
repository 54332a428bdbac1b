import type { DeskEvent } from "../../src/desk/api/model/events.ts";
import { Store } from "./store.ts";

/** `waiting`: the stream ended, and the next attempt comes soon. */
export type LiveState = "connecting" | "live" | "waiting";

type Follower = (event: DeskEvent) => void;

const types: readonly DeskEvent["type"][] = ["reset", "changes", "overview", "proxies", "rollouts", "configuration"];

/** The browser tries again by itself after a lost connection, but not after an answer with an error status. */
const retryMs = 2000;

/** The live stream of the server. One for the whole page. */
class Live {
  readonly state = new Store<LiveState>("connecting");
  readonly #followers = new Set<Follower>();
  #source: EventSource | undefined;

  /** Opens the stream, or opens it again. */
  start(): void {
    this.#source?.close();
    const source = new EventSource("/api/v1/events");
    this.#source = source;
    source.addEventListener("open", () => this.state.set("live"));
    source.addEventListener("error", () => {
      this.state.set("waiting");
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.#startAfter(source), retryMs);
    });
    for (const type of types) {
      source.addEventListener(type, ({ data }: MessageEvent<string>) => this.#tell(JSON.parse(data) as DeskEvent));
    }
  }

  /** Returns the function that ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  #startAfter(source: EventSource): void {
    if (source === this.#source) this.start();
  }

  #tell(event: DeskEvent): void {
    for (const follower of this.#followers) {
      try {
        follower(event);
      } catch (thrown) {
        // The others still get the event, and the page shows the error.
        reportError(thrown);
      }
    }
  }
}

export const live = new Live();
