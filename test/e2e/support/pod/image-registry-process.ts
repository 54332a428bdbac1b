/**
 * A registry with one OCI image that holds a Wasm module: `node image-registry-process.ts PORT USER:PASSWORD FILE`. It demands
 * basic authentication for everything. Prints `ready`, and then the status and path of each request.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [port, login = "", file = ""] = process.argv.slice(2);

/** The media types of an image with two layers: settings, and the module itself. */
const types = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.module.wasm.config.v1+json",
  module: "application/vnd.module.wasm.content.layer.v1+wasm",
} as const;

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly bytes: Buffer;
}

function blobOf(mediaType: string, bytes: Buffer): Blob {
  return { mediaType, digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`, size: bytes.length, bytes };
}

function descriptor({ mediaType, digest, size }: Blob) {
  return { mediaType, digest, size };
}

const config = blobOf(types.config, Buffer.from("{}"));
const module = blobOf(types.module, readFileSync(file));
const image = { schemaVersion: 2, config: descriptor(config), layers: [descriptor(config), descriptor(module)] };
const manifest = blobOf(types.manifest, Buffer.from(JSON.stringify(image)));
const expected = `Basic ${Buffer.from(login).toString("base64")}`;

/** The content of a path below `/v2/`; undefined for the check whether this is a registry. */
function contentOf(path: string): Blob | undefined {
  const [kind, reference] = path.split("/").slice(-2);
  if (kind === "manifests") return manifest;
  return [config, module].find(({ digest }) => digest === reference);
}

const server = createServer((request, response) => {
  const { url = "", headers, method } = request;
  const allowed = headers.authorization === expected;
  process.stdout.write(`${allowed ? 200 : 401} ${url}\n`);
  if (!allowed) {
    response.writeHead(401, { "www-authenticate": "Basic realm=registry" }).end();
    return;
  }
  const blob = contentOf(url);
  if (blob === undefined) {
    response.end("{}");
    return;
  }
  const { mediaType, digest, size, bytes } = blob;
  response.writeHead(200, { "content-type": mediaType, "docker-content-digest": digest, "content-length": size });
  response.end(method === "HEAD" ? undefined : bytes);
});
server.listen(Number(port), "0.0.0.0");
await once(server, "listening");
process.stdout.write("ready\n");
