import { readFileSync } from "node:fs";
import { errorFrom } from "../../lib/errors.ts";
import { singleText } from "../options/option-values.ts";
import { badSource, type QueryTypes, requireTogether, type SourceUrl } from "./source-url.ts";

/** The credentials in the URL of a source. The URL contains no password, because logs and pages show names of sources. */
export interface LoginQuery {
  readonly user: string;
  readonly "password-file": string;
}

export const loginQuery: QueryTypes<LoginQuery> = { user: singleText("NAME"), "password-file": singleText("FILE") };

/**
 * `login` gives `NAME:PASSWORD`. The password is read each time, so that one that is changed is used; one that cannot be
 * read stays in use. Throws `bad-option`.
 */
export function loginFrom(
  url: SourceUrl,
  { user, "password-file": file }: Partial<LoginQuery>,
): { readonly login?: () => string } {
  requireTogether(url, ["user", "password-file"]);
  if (user === undefined || file === undefined) return {};
  const read = () => readFileSync(file, "utf8").trimEnd();
  let password: string;
  try {
    password = read();
  } catch (cause) {
    throw badSource(url.name, `password-file= cannot be read: ${errorFrom(cause).message}`);
  }
  const login = () => {
    try {
      password = read();
    } catch {
      // Secrets are replaced while they are in use.
    }
    return `${user}:${password}`;
  };
  return { login };
}
