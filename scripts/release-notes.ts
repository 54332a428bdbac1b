/** `npm run release-notes [VERSION]`: prints the section of CHANGELOG.md for a version. Default: the unreleased changes. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { releaseNotes } from "./release-notes/section.ts";

const [version = "Unreleased"] = process.argv.slice(2);
const notes = releaseNotes(readFileSync(resolve(import.meta.dirname, "../CHANGELOG.md"), "utf8"), version);
if (notes === undefined) process.stderr.write(`CHANGELOG.md has no section "${version}"\n`);
else process.stdout.write(notes);
process.exitCode = notes === undefined ? 1 : 0;
