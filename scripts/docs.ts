/**
 * `npm run docs`: builds the documentation site from `docs/` into `site/dist/html`. A dead link fails the build.
 * `npm run docs -- --serve [PORT]`: builds it, and serves it on loopback.
 */
import { buildSite, siteFolder } from "./docs/build-site.ts";
import { serveFolder } from "./docs/serve-folder.ts";

const [flag, port = "4173", ...rest] = process.argv.slice(2);
if ((flag !== undefined && flag !== "--serve") || !/^\d+$/u.test(port) || rest.length > 0) {
  process.stderr.write("usage: npm run docs [-- --serve [PORT]]\n");
  process.exit(2);
}
await buildSite(siteFolder);
process.stdout.write(`built ${siteFolder}\n`);
if (flag === "--serve") {
  const { url } = await serveFolder(siteFolder, Number(port));
  process.stdout.write(`serving ${url} until Ctrl-C\n`);
}
