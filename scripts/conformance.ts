/**
 * `npm run conformance`: the public outlines of xDS and our extension, against `binnacle/xds` and against
 * `binnacle serve`, as a table. Ends with 1 when a run fails.
 */
import { errorFrom } from "../src/lib/errors.ts";
import { LibrarySubject } from "../test/conformance/xds/library-subject.ts";
import { byGroup, extensionRuns, publicRuns, type Run } from "../test/conformance/xds/runs.ts";
import { ServeSubject } from "../test/conformance/xds/serve-subject.ts";
import type { XdsSubject } from "../test/conformance/xds/subject.ts";

const suites = [
  { name: "public", runs: publicRuns },
  { name: "extension", runs: extensionRuns },
];
const failures: string[] = [];

/** How many of these runs pass; what is wrong with the others is remembered. */
async function passed(subject: XdsSubject, who: string, runs: readonly Run[]): Promise<number> {
  let count = 0;
  for (const { name, group, play } of runs) {
    try {
      await play(subject);
      count++;
    } catch (thrown) {
      failures.push(`${who}, ${group}, ${name}: ${errorFrom(thrown).message}`);
    }
  }
  return count;
}

await using library = await LibrarySubject.start();
await using serve = await ServeSubject.start();
const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |\n`;
process.stdout.write(line(["suite", "variant", "runs", "binnacle/xds", "binnacle serve"]));
process.stdout.write(line(["---", "---", "--:", "--:", "--:"]));
for (const { name, runs } of suites) {
  for (const [group, members] of byGroup(runs)) {
    const counts = [await passed(library, "binnacle/xds", members), await passed(serve, "binnacle serve", members)];
    process.stdout.write(line([name, group, members.length, ...counts]));
  }
}
for (const failure of failures) process.stdout.write(`\nfailed: ${failure}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
