import { expect, test } from "vitest";
import { createMcpSource } from "../../galley/source/mcp/mcp-source.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingSink } from "../../testing/mcp/mcp-observers.ts";
import { streamPair } from "../../testing/stream/stream-pair.ts";
import { galleysOf } from "./remote-galleys.ts";

test("a Galley is shown while it is a source, and not after a reload with another one", async () => {
  const source = createMcpSource({
    name: "mcp://galley:9901",
    connection: { start: () => Promise.resolve(), stop: () => Promise.resolve(), open: () => streamPair().server },
    collections: [],
    incremental: true,
    clock: new FakeClock(),
    random: () => 0.5,
    observer: new RecordingSink(),
  });
  const shown = () => galleysOf({ sources: [source] }).map(({ name }) => name);
  await source.start(() => undefined);
  expect(shown()).toEqual(["mcp://galley:9901"]);
  await source.stop();
  expect(shown()).toEqual([]);
});
