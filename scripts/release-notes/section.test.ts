import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { releaseNotes } from "./section.ts";

function textOf(file: string): string {
  return readFileSync(resolve(import.meta.dirname, "../..", file), "utf8");
}

const changelog = "# Changelog\n\n## Unreleased\n\n### Added\n\n- b\n\n## [0.2.0] - 2026-11-17\n\n- a\n\n## 0.1.0\n";

test.each([
  ["Unreleased", "### Added\n\n- b\n"],
  ["0.2.0", "- a\n"],
  ["0.1.0", undefined],
  ["0.2", undefined],
])("the notes of %s are the text below its heading", (version, notes) => {
  expect(releaseNotes(changelog, version)).toBe(notes);
});

test("the changelog has notes for the version in package.json, which is a semantic version", () => {
  const { version } = JSON.parse(textOf("package.json")) as { readonly version: string };
  expect(version).toMatch(/^\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?$/u);
  expect(releaseNotes(textOf("CHANGELOG.md"), version)).toContain("### Added");
});
