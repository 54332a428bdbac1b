/** `npm run build`: the npm package in `dist`. `npm pack ./dist` makes the file that users install. */
import { join } from "node:path";
import { root } from "./build/bundle.ts";
import { buildPackage } from "./build/package.ts";

const packages = await buildPackage(join(root, "dist"));
process.stderr.write(`dist: the package, with code of ${packages.length} others (dist/LICENSES.txt)\n`);
