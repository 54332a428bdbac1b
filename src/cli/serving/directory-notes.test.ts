import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directoryNotes } from "./directory-notes.ts";

const addresses = { xds: "127.0.0.1:15010", http: "127.0.0.1:8080", metrics: "off", webhook: "off", ctrlz: "off" };

test("the notes of each directory name the addresses of this server", () => {
  const directory = mkdtempSync(join(tmpdir(), "binnacle-notes-"));
  writeFileSync(join(directory, "NOTES.txt"), "see http://{http}/debug\nxds {xds}, metrics {metrics}\n\n");
  const sources = [`file:${directory}`, `file:${directory}/none`, "etcd://127.0.0.1/mesh"];
  expect(directoryNotes(sources, addresses)).toEqual([
    "see http://127.0.0.1:8080/debug\nxds 127.0.0.1:15010, metrics off",
  ]);
  rmSync(directory, { recursive: true });
});
