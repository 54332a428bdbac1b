import { createReadStream, globSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

export interface ServedFolder extends AsyncDisposable {
  readonly url: string;
}

/** Serves the files that the folder has now, on loopback. Port 0 is any free port. */
export async function serveFolder(folder: string, port = 0): Promise<ServedFolder> {
  const files = new Map(
    globSync("**/*", { cwd: folder })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [`/${path}`, join(folder, path)]),
  );
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = files.get(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    const type = types[extname(file ?? "")] ?? "application/octet-stream";
    if (file === undefined) response.writeHead(404, { "content-type": "text/plain" }).end(`there is no ${pathname}\n`);
    else createReadStream(file).pipe(response.writeHead(200, { "content-type": `${type}; charset=utf-8` }));
  });
  await new Promise<void>((done, failed) => server.once("error", failed).listen(port, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
