import { createServer, get, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { listenLocally } from "../../testing/server/listen-locally.ts";
import type { EventReader } from "../events/event-hub.ts";
import { EventStreams, type StreamHub, type StreamOptions } from "./event-streams.ts";

const operator = { type: "system" } as const;
const bound = { seconds: 20 };

/** A hub of which the test sends the events. */
class ManualHub implements StreamHub {
  readonly open = new Set<EventReader>();
  slow = 0;

  get readers(): number {
    return this.open.size;
  }

  follow(reader: EventReader): () => void {
    this.open.add(reader);
    return () => this.open.delete(reader);
  }

  droppedSlow(): void {
    this.slow++;
  }

  send(text: string): void {
    for (const reader of this.open) reader.send(text);
  }
}

let hub: ManualHub;
let clock: FakeClock;
let logger: RecordingLogger;
let options: StreamOptions;
let port: number;
const accepted: boolean[] = [];
const server = createServer((_, response) => {
  const open = streams.open(response, options);
  accepted.push(open);
  if (!open) response.writeHead(503).end();
});
let streams: EventStreams;

beforeEach(async () => {
  hub = new ManualHub();
  clock = new FakeClock();
  logger = new RecordingLogger();
  options = { viewer: operator };
  streams = new EventStreams(hub, clock, logger);
  accepted.length = 0;
  port = await listenLocally(server);
});

afterEach(async () => {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
});

async function connect(): Promise<IncomingMessage> {
  const [response] = (await once(get({ port, host: "127.0.0.1" }), "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  return response;
}

async function readUntil(response: IncomingMessage, text: string): Promise<void> {
  let read = "";
  response.on("data", (chunk: Buffer) => {
    read += chunk.toString();
  });
  await eventually(`the reader has ${text}`, () => read.includes(text), bound);
}

describe("a stream of events", () => {
  test("has a comment every 15 seconds, and a time after which the browser comes back", async () => {
    const response = await connect();
    clock.advance(15_000);
    await readUntil(response, "retry: 2000\n\n: still here\n\n");
    clock.advance(15_000);
    expect(clock.pending).toBe(1);
  });

  test("of a reader that does not read ends with a reason, before the server holds more than some megabytes", async () => {
    const response = await connect();
    response.pause();
    const event = `data: ${"x".repeat(256 * 1024)}\n\n`;
    let sent = 0;
    while (hub.readers > 0 && sent < 400) {
      hub.send(event);
      sent++;
      // Lets the kernel take what it can.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(hub.readers).toBe(0);
    expect(hub.slow).toBe(1);
    expect(logger.lines.map(({ fields }) => fields)).toMatchObject([{ reason: "it reads too slowly" }]);
    expect(clock.pending).toBe(0);
  });

  test("ends with its session", async () => {
    options = { viewer: operator, expiresAt: 1_000 };
    const response = await connect();
    clock.advance(15_000);
    await eventually("the stream has ended", () => response.destroyed || response.closed, bound);
    expect(hub.slow).toBe(0);
    expect(logger.lines.map(({ fields }) => fields)).toMatchObject([{ reason: "its session has expired" }]);
    response.destroy();
  });

  test("leaves nothing behind when the browser leaves", async () => {
    const response = await connect();
    expect(hub.readers).toBe(1);
    response.destroy();
    await eventually("the reader is gone", () => hub.readers === 0, bound);
    expect(clock.pending).toBe(0);
  });

  test("is refused to the 101st reader", async () => {
    const all = await Promise.all(Array.from({ length: 100 }, connect));
    expect(all.every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect((await connect()).statusCode).toBe(503);
    for (const response of all) response.destroy();
  });
});
