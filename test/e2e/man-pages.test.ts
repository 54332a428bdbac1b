import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ManPage, manPages } from "../../scripts/man/man-pages.ts";
import { peerPath } from "../../scripts/peer.ts";
import { commands } from "../../src/cli/commands.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { ended } from "./support/binnacle/command.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeWithMandoc = await describeWith("mandoc");

/** mandoc prints a character, a backspace and the character again, for bold text. */
const overstruck = new RegExp(`.${String.fromCodePoint(8)}`, "gu");

/** As a page shows the text, whatever its lines are. */
function plain(text: string): string {
  return text.replaceAll("…", "...").replaceAll(/\s+/gu, " ");
}

describeWithMandoc("the manual pages", () => {
  const rig = shared(async (resources) => {
    const tree = await TempTree.create();
    resources.defer(() => tree.close());
    const pages = await manPages({ version: "1.2.3", day: "2026-01-31" });
    for (const { name, text } of pages) writeFileSync(tree.path(name), text);
    return { tree, pages, mandoc: await peerPath("mandoc") };
  });

  /** The page as a terminal shows it, without bold and underlines. */
  function shown({ name }: ManPage): string {
    const { tree, mandoc } = rig();
    const text = execFileSync(mandoc, ["-Tutf8", "-Owidth=78", tree.path(name)], { encoding: "utf8" });
    return plain(text.replaceAll(overstruck, ""));
  }

  test("there is one page for each command, and one for all", () => {
    const names = commands.map(({ name }) => `binnacle-${name}.1`);
    expect(rig().pages.map(({ name }) => name)).toEqual(["binnacle.1", ...names]);
  });

  test("mandoc finds nothing to complain about", async () => {
    const { pages, tree, mandoc } = rig();
    const files = pages.map(({ name }) => tree.path(name));
    const { stdout, code } = await ended(mandoc, ["-Tlint", "-Wwarning", ...files]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 0 });
  });

  test.each(commands)("the page of $name shows its summary, all of its flags and its examples", async (listed) => {
    const page = rig().pages.find(({ name }) => name === `binnacle-${listed.name}.1`);
    const text = page === undefined ? "" : shown(page);
    const { flags, examples } = (await listed.load()).command;
    const told = [
      listed.summary,
      ...flags.map(({ name }) => `--${name}`),
      ...flags.map(({ doc }) => doc),
      ...examples.map((example) => `binnacle ${example}`),
    ];
    expect(told.filter((each) => !text.includes(plain(each)))).toEqual([]);
  });
});
