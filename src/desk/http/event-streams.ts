import type { ServerResponse } from "node:http";
import type { Viewer } from "../../admin/viewer.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { EventHub } from "../events/event-hub.ts";
import { deskHeaders, notStored } from "./desk-headers.ts";

const maxStreams = 100;
const heartbeatMs = 15_000;
/** A reader with more unread bytes is disconnected. It comes back and gets what it missed, in less. */
const maxUnreadBytes = 1024 * 1024;

const tooSlow = "it reads too slowly";

export interface StreamOptions {
  readonly viewer: Viewer;
  /** When the session of the reader ends, in the clock's milliseconds. */
  readonly expiresAt?: number;
  /** The last event that the reader has. */
  readonly lastId?: string;
}

/** Where the events come from. */
export type StreamHub = Pick<EventHub, "readers" | "follow" | "droppedSlow">;

/** The open streams of events. Their number, their unread bytes and their time are bounded. */
export class EventStreams {
  readonly #hub: StreamHub;
  readonly #clock: SupervisedClock;
  readonly #logger: Pick<Logger, "info">;

  constructor(hub: StreamHub, clock: SupervisedClock, logger: Pick<Logger, "info">) {
    this.#hub = hub;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** False if there are too many. */
  open(response: ServerResponse, { viewer, expiresAt = Number.POSITIVE_INFINITY, lastId }: StreamOptions): boolean {
    if (this.#hub.readers >= maxStreams) return false;
    const clock = this.#clock;
    response.writeHead(200, {
      ...deskHeaders,
      ...notStored,
      "content-type": "text/event-stream",
      // Intermediaries must not collect events.
      "x-accel-buffering": "no",
    });
    response.write("retry: 2000\n\n");
    const send = (text: string) => {
      const reason = reasonToLeave(response, clock.now() >= expiresAt);
      if (reason === undefined) response.write(text);
      else if (!response.destroyed) this.#disconnect(response, reason);
    };
    const leave = this.#hub.follow({ viewer, send }, lastId);
    let cancel = clock.after(heartbeatMs, beat);
    function beat(): void {
      send(": still here\n\n");
      cancel = clock.after(heartbeatMs, beat);
    }
    response.on("error", () => undefined);
    response.on("close", () => {
      cancel();
      leave();
    });
    return true;
  }

  /** The browser comes back by itself, and gets what it missed. */
  #disconnect(response: ServerResponse, reason: string): void {
    if (reason === tooSlow) this.#hub.droppedSlow();
    this.#logger.info({ reason, unreadBytes: response.writableLength }, "desk disconnected");
    response.destroy();
  }
}

function reasonToLeave({ writableLength }: ServerResponse, isExpired: boolean): string | undefined {
  if (writableLength > maxUnreadBytes) return tooSlow;
  return isExpired ? "its session has expired" : undefined;
}
