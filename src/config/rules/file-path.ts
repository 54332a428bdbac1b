import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";

/** What Linux takes, in bytes: of a whole path, less the byte that ends it, and of each name in it. */
const maxPath = 4095;
const maxName = 255;

/** Files that proxies read: a path that no file can have makes Envoy refuse whatever names it. Absent is fine. */
export function filePaths<Field extends string>(
  holder: Readonly<Record<Field, string>>,
  fields: readonly Field[],
  path: string,
): readonly Finding[] {
  return fields.flatMap((field) =>
    errorUnless(canExist(holder[field]), fieldPath(path, field), {
      code: "bad-value",
      message: `no file can have this path: at most ${maxPath} bytes, each name at most ${maxName}`,
    }),
  );
}

function canExist(file: string): boolean {
  const names = file.split("/");
  return (
    !file.includes("\0") &&
    Buffer.byteLength(file) <= maxPath &&
    names.every((name) => Buffer.byteLength(name) <= maxName)
  );
}
