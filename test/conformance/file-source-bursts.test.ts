import { mkdirSync, writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kinds } from "../../src/config/kinds.ts";
import { createFileSource } from "../../src/galley/source/file/file-source.ts";
import type { ReloadingSource } from "../../src/galley/source/file/reloading-source.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";
import { settle, TempTree } from "../../src/testing/temp-tree.ts";

/** The default length of the event queue of Linux (`fs.inotify.max_queued_events`). */
const maxQueuedEvents = 16_384;

function rule(name: string, host = "reviews"): string {
  return `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: ${name}}, spec: {host: ${host}}}\n`;
}

describe("a directory of files, in a burst of changes,", () => {
  let tree: TempTree;
  let clock: FakeClock;
  let source: ReloadingSource;
  let heard: SourceRecorder;

  beforeEach(async () => {
    tree = await TempTree.create();
    mkdirSync(tree.path("mesh/deep"), { recursive: true });
    clock = new FakeClock();
    heard = new SourceRecorder();
    source = createFileSource({ directory: tree.path("mesh"), kinds, clock });
    await source.start(heard.handler);
    heard.calls.length = 0;
  });

  afterEach(async () => {
    await source.stop();
    await tree.close();
  });

  test("reports a thousand files once", async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `rule-${index}`);
    for (const [index, name] of names.entries()) await tree.write(`mesh/f${index % 10}/${name}.yaml`, rule(name));
    await tree.noticed();
    await settle(source, clock);
    expect(heard.calls).toHaveLength(1);
    expect(heard.names).toEqual(names.toSorted());
    await tree.remove("mesh/f3");
    await tree.noticed();
    await settle(source, clock);
    expect(heard.calls).toHaveLength(2);
    expect(heard.names).toHaveLength(900);
  });

  test("misses no change when the system's event queue overflows", async () => {
    // Without a turn of the event loop, nothing drains the queue of the system.
    for (let event = 0; event <= maxQueuedEvents; event += 1) writeFileSync(tree.path(`mesh/noise-${event % 2}`), "");
    writeFileSync(tree.path("mesh/deep/last.yaml"), rule("last"));
    await setImmediate();
    await setImmediate();
    await tree.noticed();
    await settle(source, clock);
    expect(heard.names).toEqual(["last"]);
  });
});
